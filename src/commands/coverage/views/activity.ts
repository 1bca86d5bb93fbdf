import type { CatalogClient } from "../../../api/client.ts";
import type { CoverageSummary } from "../../../contract/coverage.ts";
import { type Filters, splitRcd } from "../../../contract/filters.ts";
import { addDays, dayNumber } from "../../../contract/values/day-arithmetic.ts";
import type { DayCounts } from "../day-counts.ts";

/** When the rows were crawled, retailer by retailer. */
export interface Activity {
  /** Consecutive periods of nearly the same length; dates `YYYY-MM-DD`, inclusive. */
  periods: readonly Period[];
  /** Rows of each retailer in each period. */
  rows: ReadonlyMap<string, readonly number[]>;
}

export interface Period {
  start: string;
  end: string;
  days: number;
  /** Whether nothing has rows in it, and it is drawn as short as one day. */
  isGap?: boolean;
}

/** Most days without rows that are drawn day by day. */
const SHORT_GAP = 7;

/** When the rows were crawled, day by day. Longer times without rows are one period each. */
export function activityOfDays(days: DayCounts): Activity {
  const known = [...days.keys()].sort();
  const periods = known.flatMap((day, index): Period[] => {
    const before = known[index - 1] ?? addDays(day, -1);
    const empty = dayNumber(day) - dayNumber(before) - 1;
    const [start, end] = [addDays(before, 1), addDays(day, -1)];
    const between =
      empty > SHORT_GAP ? [{ start, end, days: empty, isGap: true }] : empty > 0 ? cut(start, end, empty) : [];
    return [...between, { start: day, end: day, days: 1 }];
  });
  const { rows, add } = countsIn(periods);
  for (const [index, { start, isGap }] of periods.entries()) {
    for (const [rcd, count] of (isGap ? undefined : days.get(start)) ?? []) {
      add(splitRcd(rcd).retailer, index, count);
    }
  }
  return { periods, rows };
}

/** The rows of each retailer in each period, as they are added. */
function countsIn({ length }: readonly Period[]) {
  const rows = new Map<string, number[]>();
  const add = (retailer: string, index: number, count: number) => {
    const counts = rows.get(retailer) ?? new Array<number>(length).fill(0);
    counts[index] = (counts[index] ?? 0) + count;
    rows.set(retailer, counts);
  };
  return { rows, add };
}

/** Coverage requests sent at once. */
const CONCURRENCY = 4;

/** Finds when the rows were crawled, with one coverage request for each period, at most `requests`. */
export async function readActivity(
  client: Pick<CatalogClient, "coverage">,
  filters: Filters,
  { earliest_date, latest_date }: CoverageSummary,
  requests: number,
  signal: AbortSignal,
): Promise<Activity> {
  const periods = earliest_date === null || latest_date === null ? [] : cut(earliest_date, latest_date, requests);
  const { rows, add } = countsIn(periods);
  const queue = periods.entries();
  const work = async () => {
    for (const [index, { start, end }] of queue) {
      const { data } = await client.coverage({ ...filters, start_date: start, end_date: end }, signal);
      for (const { retailer, matching_rows } of data) {
        add(retailer, index, matching_rows);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return { periods, rows };
}

/** Cuts the days from `first` to `last` into at most `count` periods whose lengths differ by one day at most. */
export function cut(first: string, last: string, count: number): Period[] {
  const days = dayNumber(last) - dayNumber(first) + 1;
  const periods = Math.min(count, days);
  return Array.from({ length: periods }, (_, index) => {
    const from = Math.floor((index * days) / periods);
    const to = Math.floor(((index + 1) * days) / periods);
    return { start: addDays(first, from), end: addDays(first, to - 1), days: to - from };
  });
}
