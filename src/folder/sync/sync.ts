import type { CatalogClient } from "../../client/client.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { ShrinkError } from "../../contract/errors.ts";
import { dayFilter } from "../../contract/filter-match.ts";
import { type Filters, splitRcd } from "../../contract/filters.ts";
import { addDays, dayOf } from "../../contract/values/day-arithmetic.ts";
import { plural as inWords } from "../../contract/values/phrases.ts";
import { resolveFilters, serviceFilters, type WrittenFilters } from "../../pull/written-filters.ts";
import { listDayFolders, unknownDays } from "../day-files.ts";
import { type LockedFolder, lockFolder } from "../folder-lock.ts";
import { newState, readStateOf, type SyncState } from "../folder-state.ts";
import { assertWithinFilters, rememberedFilters } from "../remembered.ts";
import { adoptDays } from "./adopt.ts";
import { compareRange, edgesThatDiffer, longestUnchecked, type RcdCounts, sumOfCounts, timeOfRun } from "./changes.ts";
import { cutIntoBatches, syncBatches } from "./day-batch.ts";
import { type DayRange, daysInRange, isInRange, oneDay } from "./day-ranges.ts";
import { dropCombinations } from "./drop-combinations.ts";
import { removalGuard } from "./removal-guard.ts";
import {
  coverageOf,
  type MirrorOptions,
  NO_COUNTS,
  placeDays,
  type SyncCounts,
  type SyncRun,
  saveState,
} from "./sync-run.ts";
import { finishBatch, stateOfPages, unfinishedBatch } from "./unfinished.ts";

export interface SyncResult extends SyncCounts {
  /** Number of days that were read and have or had rows. */
  days: number;
  /** Number of days whose rows differ from those before the run. */
  daysChanged: number;
  /** The filters that the folder is kept with. */
  filters: WrittenFilters;
  /** The same with absolute dates. */
  resolved: Filters;
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
 * After an interruption, each day has its complete old or new file, and the next run goes on with the pages that were read.
 *
 * @throws InputError if the folder is a copy of another set, or has day files that the state does not list
 * @throws LockedError if another process is writing it
 * @throws ShrinkError if more than half of the rows would be removed
 * @throws SetChangedError if the set changes faster than it can be read
 */
export async function syncFolder(client: CatalogClient, options: MirrorOptions): Promise<SyncResult> {
  await using locked = await lockFolder(options.folder, options.pid);
  try {
    return await syncLocked(client, locked, options);
  } catch (error) {
    // A process that took the lock has removed the staging folder; what failed because of that is not the reason.
    await locked.lock.assertHeld();
    throw error;
  }
}

async function syncLocked(client: CatalogClient, locked: LockedFolder, options: MirrorOptions): Promise<SyncResult> {
  const { folder, service, signal } = options;
  const unfinished = await unfinishedBatch(folder);
  const stored = await readStateOf(folder);
  const known = stored ?? stateOfPages(unfinished);
  const written = known === undefined ? options.filters : rememberedFilters(folder, known, options);
  const filters = await resolveFilters(written, serviceFilters(client, signal), options.now(), { oneWindow: true });
  const isInWindow = dayFilter(filters);
  const state = known ?? newState({ service, filters: written });
  assertWithinFilters(folder, state);
  const found = await listDayFolders(folder);
  const adopted = await adoptDays(found, stored, { ...options, isWanted: isInWindow });
  const { start_date, end_date } = filters;
  Object.assign(state, { filters: written, window: { start_date, end_date }, days: { ...state.days, ...adopted } });
  state.pending = [...new Set([...state.pending, ...Object.keys(adopted)])];
  if (options.filters === written) {
    delete state.datesAreResolved;
  }
  const untrusted = await unknownDays(folder, state, options.verify, isInWindow);
  state.pending = state.pending.filter((day) => untrusted.has(day));
  const run: SyncRun = {
    ...{ lock: locked.lock, staging: locked.staging, client, options, filters, isInWindow, state, untrusted },
    checkedAt: timeOfRun(state.days, options.now()),
    counts: { ...NO_COUNTS },
    read: new Set(),
    changed: new Set(),
  };
  const isNew = await finishBatch(run, unfinished);
  const outside = [...new Set([...Object.keys(state.days), ...untrusted])].filter((day) => !isInWindow(day)).sort();
  if (options.prune) {
    refuseEmptying(outside, state, options);
    await placeDays(run, new Map(outside.map((day) => [day, undefined])));
    for (const day of outside) {
      untrusted.delete(day);
    }
  }
  await updateDays(run, isNew);
  delete state.incomplete;
  await saveState(run);
  return {
    ...run.counts,
    days: run.read.size,
    daysChanged: run.changed.size,
    filters: written,
    resolved: filters,
    auditCycle: options.audit === 0 ? undefined : Math.ceil(Object.keys(state.days).length / options.audit),
    daysPruned: options.prune ? outside.length : 0,
    outside: options.prune ? [] : outside,
    strangers: found.strangers,
  };
}

/** Reads the days again that differ from those of the service, and those whose files are not what the state says. */
async function updateDays(run: SyncRun, isNew: (day: string) => boolean): Promise<void> {
  const { options, state, untrusted, isInWindow } = run;
  const held = daysWhere(state, isInWindow);
  const coverage = await coverageOf(run);
  const range = extent([...Object.keys(held), ...[...untrusted].filter(isInWindow)], coverage);
  const before = sumOfCounts(Object.values(held));
  const counted = countsOf(coverage);
  const onRemoval = removalGuard(range === undefined ? state.days : held, before, counted, options.allowShrink);
  refuseVanished(before, counted, options);
  await dropCombinations(run, new Set([...before.keys()].filter((rcd) => !counted.has(rcd))));
  const changed: DayRange[] = [];
  if (range !== undefined) {
    const today = dayOf(options.now());
    const newest = newestDays(coverage, today, options.lookback).filter((day) => isInRange(day, range) && !isNew(day));
    changed.push(...(await findChanges(run, range, coverage)), ...newest.map(oneDay));
  }
  const batches = await cutIntoBatches(run, [...changed, ...[...untrusted].map(oneDay)]);
  await syncBatches(run, batches, onRemoval);
}

/**
 * Compares the copy with the service by coverage requests; `coverage` is the response for the whole range. Returns the days
 * to read.
 */
async function findChanges(run: SyncRun, range: DayRange, coverage: readonly Coverage[]): Promise<DayRange[]> {
  const { state, counts, checkedAt } = run;
  const { audit, verify, concurrency } = run.options;
  const days = daysWhere(state, (day) => isInRange(day, range));
  // Those that this run has read already need no check.
  const old = daysWhere({ days }, (day) => days[day]?.checked !== checkedAt);
  const audited = verify ? Object.keys(old) : longestUnchecked(old, audit);
  const { changed, equal } = await compareRange(range, countsOf(coverage), {
    local: (part) => sumOfCounts(Object.values(daysWhere(state, (day) => isInRange(day, part)))),
    remote: async (part) => countsOf(await coverageOf(run, part)),
    audited: [...new Set([...edgesThatDiffer(days, coverage), ...audited])],
    concurrency,
  });
  counts.daysChecked = daysInRange(range);
  counts.daysAudited = equal.length;
  for (const day of equal) {
    Object.assign(state.days[day] ?? {}, { checked: checkedAt });
  }
  return changed;
}

function daysWhere({ days }: Pick<SyncState, "days">, isWanted: (day: string) => boolean): SyncState["days"] {
  return Object.fromEntries(Object.entries(days).filter(([day]) => isWanted(day)));
}

/** From the first to the last day of both sides. */
function extent(held: readonly string[], coverage: readonly Coverage[]): DayRange | undefined {
  const days = [...held, ...coverage.flatMap((entry) => [entry.earliest_date, entry.latest_date])].sort();
  const [first] = days;
  const last = days.at(-1);
  return first === undefined || last === undefined ? undefined : { first, last };
}

/** The newest days of each retailer. A day after today is none of them: a row dated in the future would hide all others. */
function newestDays(coverage: readonly Coverage[], today: string, count: number): string[] {
  const newest = new Map<string, string>();
  for (const { retailer, latest_date } of coverage) {
    const day = latest_date > today ? today : latest_date;
    newest.set(retailer, [newest.get(retailer) ?? day, day].sort().at(-1) ?? day);
  }
  const days = [...newest.values()].flatMap((last) => Array.from({ length: count }, (_, back) => addDays(last, -back)));
  return [...new Set(days)];
}

/**
 * A retailer that the service no longer has at all was probably hidden from the key, not removed.
 *
 * @throws ShrinkError unless `prune`
 */
function refuseVanished(before: RcdCounts, counted: RcdCounts, { folder, prune }: MirrorOptions): void {
  const visible = new Set([...counted.keys()].map((rcd) => splitRcd(rcd).retailer));
  const rows = new Map<string, number>();
  for (const [rcd, count] of prune ? [] : before) {
    const { retailer } = splitRcd(rcd);
    rows.set(retailer, (rows.get(retailer) ?? 0) + (visible.has(retailer) ? 0 : count));
  }
  const [vanished] = [...rows].filter(([, count]) => count > 0);
  if (vanished !== undefined && visible.size > 0) {
    throw new ShrinkError(
      `${folder} has ${inWords(vanished[1], "row")} of ${vanished[0]}, of which the service shows none any more, maybe because this key may not see them; nothing was changed. --prune removes them`,
    );
  }
}

/** @throws ShrinkError if all days have left the window, as with a wrong clock, unless shrinking is allowed */
function refuseEmptying(outside: readonly string[], { days }: SyncState, { folder, allowShrink }: MirrorOptions): void {
  if (!allowShrink && outside.length > 0 && Object.keys(days).every((day) => outside.includes(day))) {
    throw new ShrinkError(
      `no day of ${folder} is within the dates of its filters, so --prune would remove all of them; is the clock right?`,
    );
  }
}

function countsOf(matching: readonly Coverage[]): RcdCounts {
  return new Map(matching.map(({ rcd, matching_rows }) => [rcd, matching_rows]));
}
