import { mkdir, rm, rmdir } from "node:fs/promises";
import type { CatalogClient } from "../api/client.ts";
import type { Coverage } from "../contract/coverage.ts";
import { dayFilter } from "../contract/filter-match.ts";
import type { Filters } from "../contract/filters.ts";
import type { Lock } from "../files/lock.ts";
import { cutByDate } from "../pull/date-cuts.ts";
import { adoptDays } from "./adopt.ts";
import { type BatchOptions, type BatchResult, stagingOf, syncRange } from "./batch.ts";
import { addDays, type DayRange, isWithin, mergeRanges, numberOfDays } from "./calendar.ts";
import { type Counts, changedRanges, sumOfCounts } from "./changes.ts";
import { damagedDays, listDayFolders } from "./day-files.ts";
import { lockFolder, ownFolderOf } from "./folder-lock.ts";
import { newState, readState, type SyncState } from "./folder-state.ts";

export interface SyncOptions extends Omit<BatchOptions, "untrusted" | "lock"> {
  service: string;
  filters: Filters;
  /** Newest days that are read again whatever their counts. */
  lookback: number;
  /** Compare every day with the service and every file with its digest. */
  verify: boolean;
  /** Take over day files that the state has no record of, where this tool wrote them. */
  adopt: boolean;
  pid: number;
}

export interface SyncResult extends BatchResult {
  daysChecked: number;
  /** What lies in the day folders and is not sync's, as paths below the folder; it was left alone. */
  strangers: readonly string[];
}

/** Rows of one batch: what is read and put into place before the next; what an interruption costs at most. */
const BATCH_ROWS = 100_000;

/**
 * Makes a folder a copy of the filtered set, one file a crawl day: finds from coverage alone which days differ from
 * what the folder holds, and replaces those whole.
 *
 * Interrupted at any instant, every day is whole, as it was or as it is now, and the next run goes on.
 *
 * @throws UsageError where the folder is a copy of another set, or holds day files that sync may not have written
 * @throws FileError where another process is writing it
 * @throws SetChangedError where the set changes faster than it can be read
 */
export async function syncFolder(client: CatalogClient, options: SyncOptions): Promise<SyncResult> {
  const { folder, pid, service, filters } = options;
  const lock = await lockFolder(folder, pid);
  try {
    const known = await readState(folder, { service, filters });
    const found = await listDayFolders(folder);
    const adopted = await adoptDays(found, known, { ...options, isWanted: dayFilter(filters) });
    const state = known ?? newState({ service, filters });
    Object.assign(state.days, adopted);
    state.pending = [...new Set([...state.pending, ...Object.keys(adopted)])];
    await rm(stagingOf(folder), { recursive: true, force: true });
    await mkdir(stagingOf(folder));
    const untrusted = new Set([...state.pending, ...(await damagedDays(folder, state, options.verify))]);
    return { ...(await bringUpToDate(client, state, untrusted, lock, options)), strangers: found.strangers };
  } finally {
    await rm(stagingOf(folder), { recursive: true, force: true });
    await lock.release();
    // Only where nothing was synced is it empty.
    await rmdir(ownFolderOf(folder)).catch(() => undefined);
  }
}

async function bringUpToDate(
  client: CatalogClient,
  state: SyncState,
  untrusted: ReadonlySet<string>,
  lock: Lock,
  options: SyncOptions,
): Promise<Omit<SyncResult, "strangers">> {
  const { filters, signal } = options;
  const { data } = await client.coverage(filters, signal);
  const range = extent([...Object.keys(state.days), ...untrusted], data);
  const result = { daysChecked: 0, days: 0, daysRemoved: 0, rowsAdded: 0, rowsReplaced: 0, rowsRemoved: 0 };
  if (range === undefined) {
    return result;
  }
  result.daysChecked = numberOfDays(range);
  const changed = await changedRanges(range, countsOf(data), {
    local: (part) => localCounts(state, part),
    remote: async (part) => countsOf((await client.coverage(withDays(filters, part), signal)).data),
    everyDay: options.verify,
  });
  const again = [...untrusted].map((day) => ({ first: day, last: day }));
  for (const part of mergeRanges([...changed, ...again, ...newestDays(range, options.lookback)])) {
    for (const batch of await batchesOf(client, part, options)) {
      const done = await syncRange(client, filters, batch, state, { ...options, lock, untrusted });
      for (const name of ["days", "daysRemoved", "rowsAdded", "rowsReplaced", "rowsRemoved"] as const) {
        result[name] += done[name];
      }
    }
  }
  return result;
}

/** From the first day that either side has to the last. */
function extent(held: readonly string[], coverage: readonly Coverage[]): DayRange | undefined {
  const days = [
    ...held,
    ...coverage
      .filter(({ matching_rows }) => matching_rows > 0)
      .flatMap((entry) => [entry.earliest_date, entry.latest_date]),
  ].sort();
  const [first] = days;
  const last = days.at(-1);
  return first === undefined || last === undefined ? undefined : { first, last };
}

function newestDays({ first, last }: DayRange, days: number): DayRange[] {
  const start = addDays(last, 1 - days);
  return days === 0 ? [] : [{ first: start < first ? first : start, last }];
}

/** Cuts a range of days into batches, as one more coverage request says where the rows lie. */
async function batchesOf(client: CatalogClient, range: DayRange, options: SyncOptions): Promise<DayRange[]> {
  if (range.first === range.last) {
    return [range];
  }
  const filters = withDays(options.filters, range);
  const { data } = await client.coverage(filters, options.signal);
  const matching = data.filter(({ matching_rows }) => matching_rows > 0);
  if (matching.length === 0) {
    return [range];
  }
  return cutByDate(matching, filters, BATCH_ROWS).map(({ filters: { start_date, end_date } }) => ({
    first: start_date ?? range.first,
    last: end_date ?? range.last,
  }));
}

function withDays(filters: Filters, { first, last }: DayRange): Filters {
  return { ...filters, start_date: first, end_date: last };
}

function countsOf(coverage: readonly Coverage[]): Counts {
  return new Map(
    coverage.filter(({ matching_rows }) => matching_rows > 0).map(({ rcd, matching_rows }) => [rcd, matching_rows]),
  );
}

function localCounts(state: SyncState, range: DayRange): Counts {
  const days = Object.entries(state.days).filter(([day]) => isWithin(day, range));
  return sumOfCounts(days.map(([, { counts }]) => Object.entries(counts)));
}
