import { addDays, type DayRange, halvesOf, isWithin } from "./calendar.ts";

/** Rows per combination (`retailer:category:department`); one without rows is absent. */
export type Counts = ReadonlyMap<string, number>;

export interface Comparison {
  /** What the copy holds of these days. */
  local: (range: DayRange) => Counts;
  /** What the service counts there, by one coverage request. */
  remote: (range: DayRange) => Promise<Counts>;
  /** Days that are asked for by themselves also where a range around them agrees, see `auditRange`. */
  audited: readonly string[];
  /** Requests of the audit that are under way at once. */
  concurrency: number;
}

export interface Findings {
  /** Ranges of days to be read again. */
  changed: DayRange[];
  /** Days whose counts were found equal day by day. */
  equal: string[];
}

/**
 * Finds the days whose counts differ, by bisection: a range that differs is cut in two, of which only the first half
 * is asked for, because the second is what remains. One changed day among N takes about log2(N) requests. A range that
 * one side holds nothing of is not cut.
 *
 * Changes that cancel out within a combination and a range are found only if a day of theirs is audited. A row that
 * was exchanged for another one of the same combination and day is never found by counts.
 *
 * @param counted what the service counts in `range`
 */
export async function compareRange(range: DayRange, counted: Counts, comparison: Comparison): Promise<Findings> {
  const held = comparison.local(range);
  const isDay = range.first === range.last;
  if (equals(held, counted)) {
    return isDay ? { changed: [], equal: [range.first] } : await auditRange(range, comparison);
  }
  if (isDay || held.size === 0 || counted.size === 0) {
    return { changed: [range], equal: [] };
  }
  const [earlier, later] = halvesOf(range);
  const ofEarlier = await comparison.remote(earlier);
  // What remains is wrong where rows came or went between the two requests.
  const ofLater = remainder(counted, ofEarlier) ?? (await comparison.remote(later));
  return together([await compareRange(earlier, ofEarlier, comparison), await compareRange(later, ofLater, comparison)]);
}

/**
 * Asks for the audited days of a range whose sum agrees. If one differs, others must differ the other way round: the
 * days between are compared, too. If every day that the copy holds agrees, so do the others, which hold nothing.
 */
async function auditRange(range: DayRange, comparison: Comparison): Promise<Findings> {
  const days = comparison.audited.filter((day) => isWithin(day, range));
  const differing = new Set<string>();
  const queue = [...days];
  const ask = async () => {
    for (let day = queue.shift(); day !== undefined; day = queue.shift()) {
      const alone = { first: day, last: day };
      if (!equals(comparison.local(alone), await comparison.remote(alone))) {
        differing.add(day);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(comparison.concurrency, days.length) }, ask));
  const findings: Findings = {
    changed: [...differing].map((day) => ({ first: day, last: day })),
    equal: days.filter((day) => !differing.has(day)),
  };
  const others = differing.size === 0 ? [] : without(range, differing);
  const unaudited = { ...comparison, audited: [] };
  const ofOthers = [];
  for (const other of others) {
    ofOthers.push(await compareRange(other, await comparison.remote(other), unaudited));
  }
  return together([findings, ...ofOthers]);
}

/** The ranges between some days of a range. */
function without(range: DayRange, days: ReadonlySet<string>): DayRange[] {
  const ranges: DayRange[] = [];
  let first = range.first;
  for (const day of [...[...days].sort(), addDays(range.last, 1)]) {
    if (first < day) {
      ranges.push({ first, last: addDays(day, -1) });
    }
    first = addDays(day, 1);
  }
  return ranges;
}

function together(all: readonly Findings[]): Findings {
  return { changed: all.flatMap(({ changed }) => changed), equal: all.flatMap(({ equal }) => equal) };
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

/** Undefined if the part is not one of the whole. */
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
