import type { Coverage } from "../../contract/coverage.ts";
import { addDays, dayNumber } from "../../contract/values/day-arithmetic.ts";
import type { DayState } from "../day-state.ts";
import { type DayRange, halvesOf, isInRange, oneDay } from "./day-ranges.ts";

/** Rows per combination (`retailer:category:department`); combinations without rows are absent. */
export type RcdCounts = ReadonlyMap<string, number>;

export interface Comparison {
  /** The counts of these days in the copy. */
  local: (range: DayRange) => RcdCounts;
  /** The counts of the service, by one coverage request. */
  remote: (range: DayRange) => Promise<RcdCounts>;
  /** Days that are compared alone even if the range around them is equal, see `auditRange`. */
  audited: readonly string[];
  /** Maximum number of concurrent audit requests. */
  concurrency: number;
}

export interface Findings {
  /** Ranges of days to be read again. */
  changed: DayRange[];
  /** Days that were compared alone and are equal. */
  equal: string[];
}

/**
 * Finds the days whose counts differ, by bisection. A range that differs is divided in two halves. Only the first half is
 * requested; the second is computed by subtraction. One changed day among N takes about log2(N) requests. A range that is
 * empty on one side is not divided.
 *
 * Changes that cancel out within a combination and a range are found only if one of the days is audited. If a row is
 * replaced by another one of the same combination and day, counts do not show it.
 *
 * @param counted the counts of the service in `range`
 * @param found results are added to it
 */
export async function compareRange(
  range: DayRange,
  counted: RcdCounts,
  comparison: Comparison,
  found: Findings = { changed: [], equal: [] },
): Promise<Findings> {
  const local = comparison.local(range);
  const isDay = range.first === range.last;
  if (equals(local, counted)) {
    isDay ? found.equal.push(range.first) : await auditRange(range, comparison, found);
  } else if (isDay || local.size === 0 || counted.size === 0) {
    found.changed.push(range);
  } else {
    const [earlier, later] = halvesOf(range);
    const ofEarlier = await comparison.remote(earlier);
    // The difference is wrong if rows were added or removed between the two requests.
    const ofLater = remainder(counted, ofEarlier) ?? (await comparison.remote(later));
    await compareRange(earlier, ofEarlier, comparison, found);
    await compareRange(later, ofLater, comparison, found);
  }
  return found;
}

/**
 * Compares the audited days of a range whose sum is equal. If one of them differs, other days must differ in the opposite
 * direction, so the days between are compared too. Days without rows in the copy need no request: if all others match, so do
 * they, because the totals agree.
 */
async function auditRange(range: DayRange, comparison: Comparison, found: Findings): Promise<void> {
  const days = comparison.audited.filter((day) => isInRange(day, range));
  const differing = new Set<string>();
  const queue = [...days];
  const ask = async () => {
    for (let day = queue.shift(); day !== undefined; day = queue.shift()) {
      if (!equals(comparison.local(oneDay(day)), await comparison.remote(oneDay(day)))) {
        differing.add(day);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(comparison.concurrency, days.length) }, ask));
  found.changed.push(...[...differing].map(oneDay));
  found.equal.push(...days.filter((day) => !differing.has(day)));
  const others = differing.size === 0 ? [] : rangesBetween(range, differing);
  // A range that is one audited day was compared above.
  for (const other of others.filter(({ first, last }) => first !== last || !days.includes(first))) {
    await compareRange(other, await comparison.remote(other), { ...comparison, audited: [] }, found);
  }
}

/** The ranges between some days of a range. */
function rangesBetween(range: DayRange, days: ReadonlySet<string>): DayRange[] {
  const ranges: DayRange[] = [];
  let first = range.first;
  for (const day of [...days].sort()) {
    if (first < day) {
      ranges.push({ first, last: addDays(day, -1) });
    }
    first = addDays(day, 1);
  }
  // Not by the day after the last one: 9999-12-31 has none.
  return days.has(range.last) ? ranges : [...ranges, { first, last: range.last }];
}

/** The counts of several days together. */
export function sumOfCounts(days: Iterable<Pick<DayState, "counts">>): RcdCounts {
  const sum = new Map<string, number>();
  for (const { counts } of days) {
    for (const [rcd, rows] of counts) {
      sum.set(rcd, (sum.get(rcd) ?? 0) + rows);
    }
  }
  return sum;
}

function equals(a: RcdCounts, b: RcdCounts): boolean {
  return a.size === b.size && [...a].every(([rcd, rows]) => b.get(rcd) === rows);
}

/** Undefined if the part is larger than the whole. */
function remainder(whole: RcdCounts, part: RcdCounts): RcdCounts | undefined {
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

type Days = Readonly<Record<string, DayState>>;

/**
 * The days whose counts were compared longest ago. Among days of the same age, every second day comes first: a row that
 * moved to a neighbouring day is found on either of the two days.
 */
export function longestUnchecked(days: Days, count: number): string[] {
  const rank = (day: string) => `${days[day]?.checked ?? ""} ${dayNumber(day) % 2} ${day}`;
  return Object.keys(days)
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .slice(0, count);
}

/**
 * Days that must differ: a combination with as many rows as in the copy has its first or last one on another day. Of the two
 * days, the one that is farther out has rows on one side only.
 */
export function edgesThatDiffer(days: Days, coverage: readonly Coverage[]): string[] {
  const copies = combinationsIn(days);
  const differing = coverage.flatMap(({ rcd, matching_rows, earliest_date, latest_date }) => {
    const copy = copies.get(rcd);
    if (copy?.rows !== matching_rows) {
      return [];
    }
    const [first = "", second = ""] = [copy.first, earliest_date].sort();
    const [last = "", later = ""] = [copy.last, latest_date].sort();
    return [...(first === second ? [] : [first]), ...(last === later ? [] : [later])];
  });
  return [...new Set(differing)];
}

/** The rows of each combination, and its first and last day. */
function combinationsIn(days: Days): Map<string, { rows: number; first: string; last: string }> {
  const combinations = new Map<string, { rows: number; first: string; last: string }>();
  for (const day of Object.keys(days).sort()) {
    for (const [rcd, rows] of days[day]?.counts ?? []) {
      const before = combinations.get(rcd);
      combinations.set(rcd, { rows: (before?.rows ?? 0) + rows, first: before?.first ?? day, last: day });
    }
  }
  return combinations;
}

/** The time of this run: always later than all earlier runs, even if the clock is wrong. */
export function timeOfRun(days: Days, now: number): string {
  const after = (time: number, { checked }: DayState) =>
    checked === undefined ? time : Math.max(time, Date.parse(checked) + 1);
  return new Date(Object.values(days).reduce(after, now)).toISOString();
}
