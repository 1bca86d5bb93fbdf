import type { CatalogClient } from "../../api/client.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { dayFilter } from "../../contract/filter-match.ts";
import type { Filters } from "../../contract/filters.ts";
import { addDays } from "../../contract/values/day-arithmetic.ts";
import { resolveFilters, serviceFilters, type WrittenFilters } from "../../pull/written-filters.ts";
import { listDayFolders, unknownDays } from "../folder/day-files.ts";
import { type LockedFolder, withLockedFolder } from "../folder/folder-lock.ts";
import { newState, readStateOf, type SyncState } from "../folder/folder-state.ts";
import { assertWithinFilters, rememberedFilters } from "../folder/remembered.ts";
import { adoptDays } from "./adopt.ts";
import { edgesThatDiffer, longestUnchecked, timeOfRun } from "./audit.ts";
import { compareRange, type RcdCounts, sumOfCounts } from "./changes.ts";
import { cutIntoBatches, syncBatch } from "./day-batch.ts";
import { type Batch, type DayRange, daysInRange, isInRange, mergeRanges } from "./day-ranges.ts";
import { dropCombinations } from "./drop-combinations.ts";
import { placeDays, saveState } from "./place.ts";
import { removalGuard } from "./removal-guard.ts";
import { countBatches } from "./sync-progress.ts";
import { coverageOf, type MirrorOptions, type SyncCounts, type SyncRun } from "./sync-run.ts";
import { finishBatch, stateOfPages, unfinishedBatch } from "./unfinished.ts";

export interface SyncResult extends SyncCounts {
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
export function syncFolder(client: CatalogClient, options: MirrorOptions): Promise<SyncResult> {
  return withLockedFolder(options.folder, options.pid, (locked) => syncLocked(client, locked, options));
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
  const unknown = await unknownDays(folder, state, options.verify, isInWindow);
  state.pending = state.pending.filter((day) => unknown.has(day));
  const run: SyncRun = {
    ...locked,
    client,
    options,
    filters,
    state,
    untrusted: unknown,
    checkedAt: timeOfRun(state.days, options.now()),
    counts: {
      daysChecked: 0,
      daysAudited: 0,
      days: 0,
      daysChanged: 0,
      daysRemoved: 0,
      rowsAdded: 0,
      rowsReplaced: 0,
      rowsRemoved: 0,
    },
  };
  const isNew = await finishBatch(run, unfinished);
  const outside = [...new Set([...Object.keys(state.days), ...unknown])].filter((day) => !isInWindow(day)).sort();
  if (options.prune) {
    await placeDays(run, { replaced: new Map(), removed: outside });
    for (const day of outside) {
      unknown.delete(day);
    }
  }
  await updateDays(run, isNew);
  delete state.incomplete;
  await saveState(run);
  return {
    ...run.counts,
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
  const { options, state, filters, untrusted } = run;
  const isInWindow = dayFilter(filters);
  const held = Object.fromEntries(Object.entries(state.days).filter(([day]) => isInWindow(day)));
  const coverage = await coverageOf(run);
  const range = extent([...Object.keys(held), ...[...untrusted].filter(isInWindow)], coverage);
  const before = range === undefined ? new Map() : localCounts(state, range);
  const counted = countsOfCoverage(coverage);
  const onRemoval = removalGuard(range === undefined ? state.days : held, before, counted, options.allowShrink);
  const changed: DayRange[] = [];
  if (range !== undefined) {
    await dropCombinations(run, new Set([...before.keys()].filter((rcd) => !counted.has(rcd))));
    changed.push(...(await findChanges(run, range, coverage)), ...newestDays(range, options.lookback, isNew));
  }
  const again = [...untrusted].map((day) => ({ first: day, last: day }));
  const batches: Batch[] = [];
  for (const part of mergeRanges([...changed, ...again])) {
    batches.push(...(await cutIntoBatches(run, part)));
  }
  const observe = countBatches(batches, options.pageSize, options.observer);
  for (const batch of batches) {
    await syncBatch(run, batch, onRemoval, observe(batch));
  }
}

/**
 * Compares the copy with the service by coverage requests; `coverage` is the response for the whole range. Returns the days
 * to read.
 */
async function findChanges(run: SyncRun, range: DayRange, coverage: readonly Coverage[]): Promise<DayRange[]> {
  const { state, counts, checkedAt } = run;
  const { audit, verify, concurrency } = run.options;
  const days = Object.fromEntries(Object.entries(state.days).filter(([day]) => isInRange(day, range)));
  // Those that this run has read already need no check.
  const old = Object.fromEntries(Object.entries(days).filter(([, { checked }]) => checked !== checkedAt));
  const audited = verify ? Object.keys(old) : longestUnchecked(old, audit);
  const { changed, equal } = await compareRange(range, countsOfCoverage(coverage), {
    local: (part) => localCounts(state, part),
    remote: async (part) => countsOfCoverage(await coverageOf(run, part)),
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

/** From the first to the last day of both sides. */
function extent(held: readonly string[], coverage: readonly Coverage[]): DayRange | undefined {
  const days = [...held, ...coverage.flatMap((entry) => [entry.earliest_date, entry.latest_date])].sort();
  const [first] = days;
  const last = days.at(-1);
  return first === undefined || last === undefined ? undefined : { first, last };
}

/** The newest days of a range, without those that were read lately. */
function newestDays(range: DayRange, count: number, isNew: (day: string) => boolean): DayRange[] {
  const days = Array.from({ length: Math.min(count, daysInRange(range)) }, (_, back) => addDays(range.last, -back));
  return days.filter((day) => !isNew(day)).map((day) => ({ first: day, last: day }));
}

function countsOfCoverage(matching: readonly Coverage[]): RcdCounts {
  return new Map(matching.map(({ rcd, matching_rows }) => [rcd, matching_rows]));
}

function localCounts({ days }: SyncState, range: DayRange): RcdCounts {
  const within = Object.entries(days).filter(([day]) => isInRange(day, range));
  return sumOfCounts(within.map(([, { counts }]) => Object.entries(counts)));
}
