import { splitRcd } from "../../../contract/filters.ts";
import { addDays, daysBetween } from "../../../contract/values/day-arithmetic.ts";
import type { DayRows } from "../counts.ts";

export interface Activity {
  /** Consecutive periods of nearly the same length; dates `YYYY-MM-DD`, inclusive. */
  periods: readonly Period[];
  rows: ReadonlyMap<string, readonly number[]>;
}

export interface Period {
  start: string;
  end: string;
  days: number;
  /** Whether it has no rows; then it is drawn as narrow as one day. */
  isGap?: boolean;
}

/** Gaps of up to this many days are drawn day by day. */
const SHORT_GAP = 7;

/** When the rows were crawled, day by day. Longer gaps are one period each. */
export function activityOfDays(days: readonly DayRows[]): Activity {
  const known = [...new Set(days.map(({ day }) => day))].sort();
  const periods = known.flatMap((day, index): Period[] => {
    const own = { start: day, end: day, days: 1 };
    const before = known[index - 1];
    if (before === undefined) {
      // No day is before 0000-01-01.
      return [own];
    }
    const empty = daysBetween(before, day) - 2;
    const [start, end] = [addDays(before, 1), addDays(day, -1)];
    const between = empty > SHORT_GAP ? [{ start, end, days: empty, isGap: true }] : cut(start, end, empty);
    return [...between, own];
  });
  return rowsIn(periods, days);
}

/** When the rows were crawled, in at most `count` periods of nearly the same length. */
export function activityInPeriods(days: readonly DayRows[], count: number): Activity {
  const known = days.map(({ day }) => day).sort();
  const [first, last] = [known[0], known.at(-1)];
  return rowsIn(first === undefined || last === undefined ? [] : cut(first, last, count), days);
}

function rowsIn(periods: readonly Period[], days: readonly DayRows[]): Activity {
  const rows = new Map<string, number[]>();
  let index = 0;
  for (const { day, rcd, rows: count } of days.toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))) {
    while ((periods[index]?.end ?? day) < day) {
      index += 1;
    }
    const { retailer } = splitRcd(rcd);
    const ofRetailer = rows.get(retailer) ?? new Array<number>(periods.length).fill(0);
    ofRetailer[index] = (ofRetailer[index] ?? 0) + count;
    rows.set(retailer, ofRetailer);
  }
  return { periods, rows };
}

/** Cuts the days from `first` to `last` into at most `count` periods whose lengths differ by one day at most. */
export function cut(first: string, last: string, count: number): Period[] {
  const days = daysBetween(first, last);
  const periods = Math.min(count, days);
  return Array.from({ length: periods }, (_, index) => {
    const from = Math.floor((index * days) / periods);
    const to = Math.floor(((index + 1) * days) / periods);
    return { start: addDays(first, from), end: addDays(first, to - 1), days: to - from };
  });
}
