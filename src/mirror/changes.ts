import { type DayRange, halvesOf } from "./calendar.ts";

/** Rows per combination (`retailer:category:department`); one without rows is absent. */
export type Counts = ReadonlyMap<string, number>;

export interface Comparison {
  /** What the copy holds of these days. */
  local: (range: DayRange) => Counts;
  /** What the service counts there, by one coverage request. */
  remote: (range: DayRange) => Promise<Counts>;
  /** Compare every day, not only those of ranges that differ. */
  everyDay: boolean;
}

/**
 * Finds the days whose counts differ, by bisection: a range that differs is cut in two, of which only the first half
 * is asked for, because the second is what remains. One changed day among N takes about log2(N) requests. A range that
 * one side holds nothing of is not cut.
 *
 * Differences that cancel each other out within a combination are found only by `everyDay`.
 *
 * @param counted what the service counts in `range`
 */
export async function changedRanges(range: DayRange, counted: Counts, comparison: Comparison): Promise<DayRange[]> {
  const held = comparison.local(range);
  const isEqual = equals(held, counted);
  if (isEqual && (!comparison.everyDay || held.size === 0 || range.first === range.last)) {
    return [];
  }
  if (range.first === range.last || held.size === 0 || counted.size === 0) {
    return [range];
  }
  const [earlier, later] = halvesOf(range);
  const ofEarlier = await comparison.remote(earlier);
  // What remains is wrong where rows came or went between the two requests.
  const ofLater = remainder(counted, ofEarlier) ?? (await comparison.remote(later));
  return [
    ...(await changedRanges(earlier, ofEarlier, comparison)),
    ...(await changedRanges(later, ofLater, comparison)),
  ];
}

export function sumOfCounts(all: Iterable<Iterable<readonly [string, number]>>): Counts {
  const sum = new Map<string, number>();
  for (const counts of all) {
    for (const [rcd, rows] of counts) {
      sum.set(rcd, (sum.get(rcd) ?? 0) + rows);
    }
  }
  return sum;
}

function equals(a: Counts, b: Counts): boolean {
  return a.size === b.size && [...a].every(([rcd, rows]) => b.get(rcd) === rows);
}

/** Undefined where the part is not one of the whole. */
function remainder(whole: Counts, part: Counts): Counts | undefined {
  const rest = new Map(whole);
  for (const [rcd, rows] of part) {
    const left = (rest.get(rcd) ?? 0) - rows;
    if (left < 0) {
      return undefined;
    }
    left === 0 ? rest.delete(rcd) : rest.set(rcd, left);
  }
  return rest;
}
