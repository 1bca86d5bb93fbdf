import { isDeepStrictEqual } from "node:util";
import type { CatalogClient } from "../../client/client.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { SetChangedError } from "../../contract/errors.ts";
import type { Filters } from "../../contract/filters.ts";
import { groupDigits } from "../../contract/values/counted.ts";
import { addDays } from "../../contract/values/day-arithmetic.ts";
import { daysInRange, halvesOf, mergeRanges } from "../../folder/sync/day-ranges.ts";
import type { SetFilters } from "../../pull/set-filters.ts";

/** Rows of each combination (`retailer:category:department`) on each day that has rows. */
export type DayCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The rows of a combination within a range of days. */
interface RangePart {
  rcd: string;
  rows: number;
  /** The first day that may have rows, and whether it is known to have some. */
  first: string;
  isFirstKnown: boolean;
  /** The last day that has rows. */
  last: string;
}

/** Coverage requests sent at once. */
const CONCURRENCY = 4;

/** The days at one end of the set, if not all of its days are wanted. */
export interface EndDays {
  /** The number of days that have rows. */
  most: number;
  newestFirst: boolean;
}

export interface DaySearch {
  /** Undefined for all days. */
  wanted: EndDays | undefined;
  /** The most coverage requests that `countDays` may send; at least `requestsFor(coverage)`. */
  requests: number;
  signal: AbortSignal;
  /** Called with the number of rows whose days are known. */
  onRows: (rows: number) => void;
}

/**
 * The most requests that `countDays` sends if the set does not change, with one to check that the set is still the same.
 * A day costs at most one. If rows are rare, halving ends earlier: a range is only halved if it has at least two days and
 * two rows.
 *
 * @param coverage of the whole set, by one request that is not counted here
 */
export function requestsFor(coverage: readonly Coverage[], wanted?: EndDays): number {
  const parts = [...partsOf(coverage).values()].filter((part) => knownDays(part) === undefined);
  if (parts.length === 0) {
    return 0;
  }
  const days = mergeRanges(parts).reduce((sum, range) => sum + daysInRange(range), 0);
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const divisions = Math.floor(rows / 2) * Math.ceil(Math.log2(days));
  return Math.min(days, divisions + 1, (wanted?.most ?? days) + 1);
}

/**
 * Counts the rows of every day, exactly, by coverage requests for ranges of days (contract section 2.2). It halves ranges
 * until the days of each combination's rows are known. Only the first half is requested; the second is total minus first.
 * Days without rows cost little. A few days at one end of the set take one request each instead. At the end the whole set
 * is requested again: if it has changed, all is counted again.
 *
 * @param coverage of the whole set
 * @throws SetChangedError if the set keeps changing, or its rows do not add up
 */
export async function countDays(
  client: Pick<CatalogClient, "coverage">,
  filters: SetFilters,
  coverage: readonly Coverage[],
  { wanted, requests, signal, onRows }: DaySearch,
): Promise<DayCounts> {
  let left = requests;
  const ask: Ask = async (range) => {
    left -= 1;
    return (await client.coverage({ ...filters, ...range }, signal)).data;
  };
  for (let whole = coverage; requestsFor(whole, wanted) <= left; ) {
    const isShorter = wanted !== undefined && requestsFor(whole, wanted) < requestsFor(whole);
    const counts = await (isShorter ? searchEnd(whole, wanted, ask) : searchDays(whole, ask, onRows));
    const now = requestsFor(whole) === 0 ? whole : await ask({});
    if (counts !== undefined && isDeepStrictEqual(partsOf(whole), partsOf(now))) {
      return counts;
    }
    whole = now;
  }
  throw new SetChangedError("the set changed while the rows of its days were counted");
}

/** The coverage of the set within a range of days. */
type Ask = (range: Pick<Filters, "start_date" | "end_date">) => Promise<readonly Coverage[]>;

/**
 * Counts day by day from one end: what the set has more than the rest of the days is on the day at its end. Returns
 * undefined if a response contradicts an earlier one.
 */
async function searchEnd(
  whole: readonly Coverage[],
  { most, newestFirst }: EndDays,
  ask: Ask,
): Promise<DayCounts | undefined> {
  const counts = new Map<string, Map<string, number>>();
  const endOf = ({ first, last }: RangePart) => (newestFirst ? last : first);
  let parts = [...partsOf(whole).values()];
  while (parts.length > 0 && counts.size < most) {
    const ends = parts.map(endOf).sort();
    const day = (newestFirst ? ends.at(-1) : ends[0]) ?? "";
    const own = parts.filter((part) => endOf(part) === day);
    const others = parts.filter((part) => endOf(part) !== day);
    const isKnown = own.every((part) => knownDays(part) !== undefined);
    const found = isKnown
      ? new Map([...others, ...own.flatMap((part) => restOf(part, day))].map((part) => [part.rcd, part]))
      : partsOf(await ask(newestFirst ? { end_date: addDays(day, -1) } : { start_date: addDays(day, 1) }));
    const isPossible =
      others.every((part) => isDeepStrictEqual(part, found.get(part.rcd))) &&
      own.every((part) => {
        const { rows = 0, first, last } = found.get(part.rcd) ?? {};
        const isOtherEnd =
          rows === 0 ? part.first === part.last : newestFirst ? first === part.first : last === part.last;
        return rows < part.rows && isOtherEnd;
      });
    if (!isPossible) {
      return undefined;
    }
    counts.set(day, new Map(own.map(({ rcd, rows }) => [rcd, rows - (found.get(rcd)?.rows ?? 0)])));
    parts = [...found.values()];
  }
  return counts;
}

/** What a part whose days are known has on another day than `day`. */
function restOf(part: RangePart, day: string): RangePart[] {
  const days = knownDays(part) ?? [];
  return days.filter((other) => other !== day).map((other) => ({ ...part, rows: 1, first: other, last: other }));
}

/** Undefined if a response contradicts an earlier one. */
async function searchDays(
  whole: readonly Coverage[],
  ask: Ask,
  onRows: (rows: number) => void,
): Promise<DayCounts | undefined> {
  const counts = new Map<string, Map<string, number>>();
  let known = 0;
  const keep = (parts: readonly RangePart[]): RangePart[] => {
    const open: RangePart[] = [];
    for (const part of parts) {
      const days = knownDays(part);
      if (days === undefined) {
        open.push(part);
        continue;
      }
      for (const day of days) {
        const rows = part.rows / days.length;
        counts.set(day, (counts.get(day) ?? new Map<string, number>()).set(part.rcd, rows));
        known += rows;
      }
    }
    onRows(known);
    return open;
  };
  const open = [keep([...partsOf(whole).values()])];
  const next = () => open.splice(0, CONCURRENCY).filter((parts) => parts.length > 0);
  for (let some = next(); some.length > 0; some = next()) {
    const halves = await Promise.all(some.map((parts) => halve(parts, ask)));
    for (const half of halves) {
      if (half === undefined) {
        return undefined;
      }
      open.push(...half.map(keep).filter((parts) => parts.length > 0));
    }
  }
  return counts;
}

/** The two halves of the days of some parts; undefined if the response contradicts what is known about them. */
async function halve(parts: readonly RangePart[], ask: Ask): Promise<[RangePart[], RangePart[]] | undefined> {
  const first = parts.reduce((least, part) => (part.first < least ? part.first : least), "9999-12-31");
  const last = parts.reduce((most, part) => (part.last > most ? part.last : most), "");
  const [earlier, later] = halvesOf({ first, last });
  const found = partsOf(await ask({ start_date: earlier.first, end_date: earlier.last }));
  const halves: [RangePart[], RangePart[]] = [[], []];
  for (const part of parts) {
    const before = found.get(part.rcd) ?? { ...part, rows: 0 };
    const after = {
      ...part,
      rows: part.rows - before.rows,
      first: part.first > later.first ? part.first : later.first,
      isFirstKnown: part.isFirstKnown && part.first >= later.first,
    };
    const isPossible =
      after.rows >= 0 &&
      (before.rows === 0
        ? !part.isFirstKnown || part.first >= later.first
        : before.first === part.first || (!part.isFirstKnown && before.first > part.first)) &&
      (after.rows === 0 ? before.last === part.last : part.last >= later.first);
    if (!isPossible) {
      return undefined;
    }
    halves[0].push(...(before.rows > 0 ? [before] : []));
    halves[1].push(...(after.rows > 0 ? [after] : []));
  }
  return halves;
}

/** The rows of a response by combination; only of those that have any. */
function partsOf(coverage: readonly Coverage[]): Map<string, RangePart> {
  const matching = coverage.filter(({ matching_rows }) => matching_rows > 0);
  return new Map(
    matching.map(({ rcd, matching_rows: rows, earliest_date: first, latest_date: last }) => {
      return [rcd, { rcd, rows, first, isFirstKnown: true, last }];
    }),
  );
}

/** The days of all rows of a part, with the same number of rows each; undefined if they are not known. */
function knownDays({ rows, first, isFirstKnown, last }: RangePart): string[] | undefined {
  if (rows === 1 || first === last) {
    return [last];
  }
  return rows === 2 && isFirstKnown ? [first, last] : undefined;
}

/** Says how many days between the first and the last have no rows; nothing if every day has some. */
export function describeGaps(all: DayCounts): string[] {
  const days = [...all.keys()].sort();
  const [first, last] = [days[0], days.at(-1)];
  const gaps = first === undefined || last === undefined ? 0 : daysInRange({ first, last }) - days.length;
  const what = gaps === 1 ? "1 day without rows is" : `${groupDigits(gaps)} days without rows are`;
  return gaps === 0 ? [] : [`${what} not listed`];
}
