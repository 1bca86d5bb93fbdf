import type { Coverage } from "../contract/coverage.ts";
import type { Filters } from "../contract/filters.ts";
import { DAY, dayNumber, dayOf } from "../contract/values/day-arithmetic.ts";

/** Filters narrowed to a range of crawl days, and the expected number of rows. */
export interface DateRange {
  filters: Filters;
  rows: number;
}

/**
 * Cuts a set into ranges of days, as if the rows of each combination were spread evenly over its days. The first range
 * keeps the start date of the filters and the last range the end date.
 *
 * @param sizes expected rows of each range, which add up to the rows of the set; ranges without a day are dropped
 */
export function cutByDate(coverage: readonly Coverage[], filters: Filters, sizes: readonly number[]): DateRange[] {
  const { first, perDay } = expectedRowsPerDay(coverage);
  const ranges: DateRange[] = [];
  let start: Filters = {};
  let rows = 0;
  let passed = 0;
  let size = 0;
  let end = sizes[0] ?? 0;
  perDay.forEach((expected, day) => {
    rows += expected;
    passed += expected;
    const isLast = day === perDay.length - 1;
    // The last range has all days that are left: over a long period most have an expected share of less than half a
    // row, which could never fill another range.
    if (isLast || (size < sizes.length - 1 && passed >= end - 0.5)) {
      const until = isLast ? {} : { end_date: dayOf((first + day) * DAY) };
      ranges.push({ filters: { ...filters, ...start, ...until }, rows: Math.round(rows) });
      start = { start_date: dayOf((first + day + 1) * DAY) };
      rows = 0;
      while (passed >= end - 0.5 && size < sizes.length - 1) {
        size += 1;
        end += sizes[size] ?? 0;
      }
    }
  });
  return ranges;
}

function expectedRowsPerDay(coverage: readonly Coverage[]): { first: number; perDay: number[] } {
  const spans = coverage.map((entry) => ({
    from: dayNumber(entry.earliest_date),
    to: dayNumber(entry.latest_date),
    rows: entry.matching_rows,
  }));
  const first = spans.reduce((earliest, { from }) => Math.min(earliest, from), Number.POSITIVE_INFINITY);
  const last = spans.reduce((latest, { to }) => Math.max(latest, to), Number.NEGATIVE_INFINITY);
  const changes = new Array<number>(last - first + 2).fill(0);
  for (const { from, to, rows } of spans) {
    const share = rows / (to - from + 1);
    changes[from - first] = (changes[from - first] ?? 0) + share;
    changes[to - first + 1] = (changes[to - first + 1] ?? 0) - share;
  }
  let running = 0;
  return { first, perDay: changes.slice(0, -1).map((change) => (running += change)) };
}
