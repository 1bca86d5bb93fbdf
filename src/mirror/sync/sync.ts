import { mkdir, rm, rmdir } from "node:fs/promises";
import type { CatalogClient } from "../../api/client.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { dayFilter } from "../../contract/filter-match.ts";
import type { Filters } from "../../contract/filters.ts";
import { addDays } from "../../contract/values/day-arithmetic.ts";
import type { Lock } from "../../files/lock.ts";
import { resolveFilters, serviceFilters, type WrittenFilters } from "../../pull/written-filters.ts";
import { damagedDays, listDayFolders } from "../folder/day-files.ts";
import { lockFolder, ownFolderOf } from "../folder/folder-lock.ts";
import { type DayState, newState, readStateOf, type SyncState, writeState } from "../folder/folder-state.ts";
import { assertWithinFilters, rememberedFilters } from "../folder/remembered.ts";
import { adoptDays } from "./adopt.ts";
import { edgesThatDiffer, longestUnchecked, timeOfRun } from "./audit.ts";
import { type Counts, compareRange, type Findings, sumOfCounts } from "./changes.ts";
import { type Batch, type BatchOptions, type BatchResult, batchesOf, syncRange } from "./day-batch.ts";
import { type DayRange, isWithin, mergeRanges, numberOfDays } from "./day-ranges.ts";
import { dropCombinations } from "./drop-combinations.ts";
import { placeDays, stagingOf } from "./place.ts";
import { removalGuard } from "./removal-guard.ts";
import { countBatches, type SyncObserver } from "./sync-progress.ts";

export interface MirrorOptions
  extends Omit<BatchOptions, "untrusted" | "lock" | "checkedAt" | "onRemoval" | "observer"> {
  service: string;
  /** As written; empty to use the filters of the folder. */
  filters: WrittenFilters;
  /** Number of newest days that are always read again. */
  lookback: number;
  /** Number of days whose counts are compared alone, with one request each: those checked longest ago. */
  audit: number;
  /** Compare every day with the service and every file with its digest. */
  verify: boolean;
  /** Take over day files that the state does not list, if this tool wrote them. */
  adopt: boolean;
  /** Remove days that are no longer within the filters' dates. */
  prune: boolean;
  /** Allow a run to remove more than half of the rows. */
  allowShrink: boolean;
  pid: number;
  /** Milliseconds since the epoch. */
  now: () => number;
  observer?: SyncObserver;
}

export interface SyncResult extends BatchResult {
  /** The filters that the folder is kept with. */
  filters: WrittenFilters;
  /** Number of days from the first to the last day of both sides. */
  daysChecked: number;
  /** Number of these days that were compared alone. */
  daysAudited: number;
  /** Number of runs until every day has been compared alone; undefined if nothing is audited. */
  auditCycle: number | undefined;
  /** Removed days that are no longer within the filters' dates. */
  daysPruned: number;
  /** Unchanged days that are no longer within the filters' dates. */
  outside: readonly string[];
  /** Files in the day folders that sync did not write, as paths below the folder; they stay unchanged. */
  strangers: readonly string[];
}

/**
 * Makes a folder a copy of the filtered set, with one file per crawl day. It finds changed days from coverage alone and
 * replaces each of them as a whole.
 *
 * After an interruption, each day has its complete old or new file, and the next run continues.
 *
 * @throws UsageError if the folder is a copy of another set, or has day files that the state does not list
 * @throws LockedError if another process is writing it
 * @throws ShrinkError if more than half of the rows would be removed
 * @throws SetChangedError if the set changes faster than it can be read
 */
export async function syncFolder(client: CatalogClient, options: MirrorOptions): Promise<SyncResult> {
  const { folder, pid } = options;
  const lock = await lockFolder(folder, pid);
  try {
    return await syncLocked(client, lock, options);
  } finally {
    await rm(stagingOf(folder), { recursive: true, force: true });
    await lock.release();
    // It is empty only if nothing was synced.
    await rmdir(ownFolderOf(folder)).catch(() => undefined);
  }
}

async function syncLocked(client: CatalogClient, lock: Lock, options: MirrorOptions): Promise<SyncResult> {
  const { folder, service, signal } = options;
  const known = await readStateOf(folder);
  const filters = known === undefined ? options.filters : rememberedFilters(folder, known, options);
  const now = await resolveFilters(filters, serviceFilters(client, signal), options.now());
  const isInWindow = dayFilter(now);
  const state = known ?? newState({ service, filters });
  assertWithinFilters(folder, state);
  const { strangers, ...found } = await listDayFolders(folder);
  const adopted = await adoptDays({ ...found, strangers }, known, { ...options, isWanted: isInWindow });
  Object.assign(state, { filters, window: windowOf(now), days: { ...state.days, ...adopted } });
  state.pending = [...new Set([...state.pending, ...Object.keys(adopted)])];
  if (options.filters === filters) {
    delete state.datesAreResolved;
  }
  await rm(stagingOf(folder), { recursive: true, force: true });
  await mkdir(stagingOf(folder));
  const outside = Object.keys(state.days).filter((day) => !isInWindow(day));
  if (options.prune) {
    await placeDays(folder, lock, state, { replaced: new Map(), removed: outside });
  }
  const damaged = await damagedDays(folder, state, options.verify);
  const untrusted = new Set([...state.pending, ...damaged].filter(isInWindow));
  const result = await bringUpToDate(client, now, state, untrusted, lock, options);
  await writeState(folder, state);
  return {
    ...result,
    filters,
    auditCycle: options.audit === 0 ? undefined : Math.ceil(Object.keys(state.days).length / options.audit),
    daysPruned: options.prune ? outside.length : 0,
    outside: options.prune ? [] : outside.sort(),
    strangers,
  };
}

type UpdateResult = BatchResult & Pick<SyncResult, "daysChecked" | "daysAudited">;

async function bringUpToDate(
  client: CatalogClient,
  filters: Filters,
  state: SyncState,
  untrusted: Set<string>,
  lock: Lock,
  options: MirrorOptions,
): Promise<UpdateResult> {
  const { folder, signal } = options;
  const result: UpdateResult = {
    daysChecked: 0,
    daysAudited: 0,
    days: 0,
    daysRemoved: 0,
    rowsAdded: 0,
    rowsReplaced: 0,
    rowsRemoved: 0,
  };
  const held = Object.fromEntries(Object.entries(state.days).filter(([day]) => dayFilter(filters)(day)));
  const matching = (await client.coverage(filters, signal)).data.filter(({ matching_rows }) => matching_rows > 0);
  const counted = countsOf(matching);
  const range = extent([...Object.keys(held), ...untrusted], matching);
  if (range === undefined) {
    return result;
  }
  const before = localCounts(state, range);
  const guard = removalGuard(held, before, counted, options.allowShrink);
  const gone = new Set([...before.keys()].filter((rcd) => !counted.has(rcd)));
  const dropped = await dropCombinations(folder, lock, state, gone, untrusted);
  result.rowsRemoved = dropped.rows;
  result.daysRemoved = dropped.days;

  result.daysChecked = numberOfDays(range);
  const checkedAt = timeOfRun(state.days, options.now());
  const findings = await findChanges(client, filters, range, matching, state, options);
  result.daysAudited = findings.equal.length;
  for (const day of findings.equal) {
    Object.assign(state.days[day] ?? {}, { checked: checkedAt });
  }
  const again = [...untrusted].map((day) => ({ first: day, last: day }));
  const batches: Batch[] = [];
  for (const part of mergeRanges([...findings.changed, ...again, ...newestDays(range, options.lookback)])) {
    batches.push(...(await batchesOf(client, filters, part, state, signal)));
  }
  const observe = countBatches(batches, options.pageSize, options.observer);
  for (const batch of batches) {
    const batchOptions = { ...options, lock, untrusted, checkedAt, onRemoval: guard, observer: observe(batch) };
    const done = await syncRange(client, filters, batch.range, state, batchOptions);
    for (const name of ["days", "daysRemoved", "rowsAdded", "rowsReplaced", "rowsRemoved"] as const) {
      result[name] += done[name];
    }
  }
  return result;
}

/** Compares the copy with the service by coverage requests; `coverage` is the response for the whole range. */
async function findChanges(
  client: CatalogClient,
  filters: Filters,
  range: DayRange,
  coverage: readonly Coverage[],
  state: SyncState,
  { audit, verify, concurrency, signal }: MirrorOptions,
): Promise<Findings> {
  const days = Object.fromEntries(Object.entries(state.days).filter(([day]) => isWithin(day, range)));
  const audited = verify ? Object.keys(days) : longestUnchecked(days, audit);
  return await compareRange(range, countsOf(coverage), {
    local: (part) => localCounts(state, part),
    remote: async ({ first, last }) => {
      const { data } = await client.coverage({ ...filters, start_date: first, end_date: last }, signal);
      return countsOf(data.filter(({ matching_rows }) => matching_rows > 0));
    },
    audited: [...new Set([...edgesThatDiffer(days, coverage), ...audited])],
    concurrency,
  });
}

/** From the first to the last day of both sides. */
function extent(held: readonly string[], coverage: readonly Coverage[]): DayRange | undefined {
  const days = [...held, ...coverage.flatMap((entry) => [entry.earliest_date, entry.latest_date])].sort();
  const [first] = days;
  const last = days.at(-1);
  return first === undefined || last === undefined ? undefined : { first, last };
}

function newestDays({ first, last }: DayRange, days: number): DayRange[] {
  const start = addDays(last, 1 - days);
  return days === 0 ? [] : [{ first: start < first ? first : start, last }];
}

function windowOf({ start_date, end_date }: Filters): SyncState["window"] {
  return { ...(start_date !== undefined && { start_date }), ...(end_date !== undefined && { end_date }) };
}

function countsOf(matching: readonly Coverage[]): Counts {
  return new Map(matching.map(({ rcd, matching_rows }) => [rcd, matching_rows]));
}

function localCounts({ days }: { days: Readonly<Record<string, DayState>> }, range: DayRange): Counts {
  const within = Object.entries(days).filter(([day]) => isWithin(day, range));
  return sumOfCounts(within.map(([, { counts }]) => Object.entries(counts)));
}
