import type { CatalogClient } from "../../../client/client.ts";
import type { CoverageSummary } from "../../../contract/coverage.ts";
import { type Filters, splitRcd } from "../../../contract/filters.ts";
import { addDays, dayNumber } from "../../../contract/values/day-arithmetic.ts";
import type { CoverageSource } from "../coverage-source.ts";
import type { DayCounts } from "../day-counts.ts";
import type { Counted } from "../groups.ts";
import type { CoverageOptions } from "../options.ts";

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

/** Coverage requests sent at once. */
const CONCURRENCY = 4;

/** When the rows were crawled, in at most `chartRequests` periods. If the days are known, no request is sent. */
export async function activityIn(
  { chartRequests = 0, folder }: CoverageOptions,
  { response, days }: Counted,
  source: CoverageSource,
): Promise<Activity> {
  const summary = response.meta.coverage;
  const known = folder === undefined ? days : await source.days(response.data);
  const activity =
    known === undefined
      ? await readActivity(source.client, source.filters, summary, chartRequests, source.signal)
      : rowsIn(periodsOf(summary, chartRequests), known);
  const sum = [...activity.rows.values()].flat().reduce((total, count) => total + count, 0);
  if (sum !== summary.matching_rows) {
    source.reporter.warn(`the set changed while it was read: ${summary.matching_rows} rows at first, then ${sum}`);
  }
  return activity;
}

/** Finds when the rows were crawled, with one coverage request for each period, at most `requests`. */
export async function readActivity(
  client: Pick<CatalogClient, "coverage">,
  filters: Filters,
  summary: CoverageSummary,
  requests: number,
  signal: AbortSignal,
): Promise<Activity> {
  const periods = periodsOf(summary, requests);
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

/** Most days without rows that are drawn day by day. */
const SHORT_GAP = 7;

/** When the rows were crawled, day by day. Longer times without rows are one period each. */
export function activityOfDays(days: DayCounts): Activity {
  const known = [...days.keys()].sort();
  const periods = known.flatMap((day, index): Period[] => {
    const before = known[index - 1] ?? addDays(day, -1);
    const empty = dayNumber(day) - dayNumber(before) - 1;
    const [start, end] = [addDays(before, 1), addDays(day, -1)];
    const between = empty > SHORT_GAP ? [{ start, end, days: empty, isGap: true }] : cut(start, end, empty);
    return [...between, { start: day, end: day, days: 1 }];
  });
  return rowsIn(periods, days);
}

/** The rows of known days; a set that has changed may have days outside of the periods. */
function rowsIn(periods: readonly Period[], days: DayCounts): Activity {
  const { rows, add } = countsIn(periods);
  const [first = "", last = ""] = [periods[0]?.start, periods.at(-1)?.end];
  const inside = [...days].filter(([day]) => day >= first && day <= last);
  let index = 0;
  for (const [day, counts] of inside.sort(([a], [b]) => (a < b ? -1 : 1))) {
    while ((periods[index]?.end ?? day) < day) {
      index += 1;
    }
    for (const [rcd, count] of counts) {
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

function periodsOf({ earliest_date, latest_date }: CoverageSummary, most: number): Period[] {
  return earliest_date === null || latest_date === null ? [] : cut(earliest_date, latest_date, most);
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
