import type { Coverage } from "../../../contract/coverage.ts";
import { type Filters, formatRcd, type Rcd } from "../../../contract/filters.ts";
import type { Session } from "../database/database-session.ts";

/** A combination, and its rows in one version of the data. */
export interface CountedCombination extends Rcd {
  id: number;
  /**
   * Each day with rows (YYYYMMDD), followed by the running total: the number of rows up to its end. The number of rows of any range
   * of days is the difference of two totals.
   */
  totals: readonly number[];
}

/** How many rows a combination has in all, and how many, at least one, in a range of days. */
export interface CombinationCount extends Omit<Coverage, keyof Rcd | "rcd"> {
  combination: CountedCombination;
}

/** The first and the last day, inclusive, each as the number YYYYMMDD. */
export type DayNumbers = readonly [first: number, last: number];

/** After the number of every version. */
const END_OF_VERSIONS = Number.MAX_SAFE_INTEGER;

/**
 * Combinations, and how many rows they gained or lost (negative) on each day from version ?1 to version ?2. The steps are
 * materialized because PostgreSQL, which may not sort (`enable_sort=off`), would otherwise read the indexes of all rows in their order.
 */
const withChanges = (join: "JOIN" | "LEFT JOIN") => `
  WITH changed_row AS MATERIALIZED (
    SELECT combination, day, 1 AS rows FROM product
    WHERE added > ?1 AND added <= ?2 AND (removed IS NULL OR removed > ?2)
    UNION ALL SELECT combination, day, -1 FROM product
    WHERE removed > ?1 AND removed <= ?2 AND added <= ?1
  ), changed AS MATERIALIZED (
    SELECT combination, '[' || string_agg(day || ',' || rows, ',' ORDER BY day) || ']' AS change FROM (
      SELECT combination, day, sum(rows) AS rows FROM changed_row GROUP BY combination, day HAVING sum(rows) <> 0
    ) AS cell GROUP BY combination
  ), counted AS MATERIALIZED (
    SELECT id, retailer, department, category, days, change FROM combination ${join} changed ON changed.combination = id
  )
  SELECT id, retailer, department, category, days, change FROM counted ORDER BY retailer, department, category`;

/** A combination whose rows changed. `days` and `change` are JSON arrays as in the column `days`: a day, its number of rows and so on. */
interface Change extends Rcd {
  id: number;
  /** In the newest version. */
  days: string;
  change: string;
}

/**
 * How many rows each combination has in a version, sorted by retailer, department and category (UTF-8 bytes). The cost grows with the
 * combinations, their days and the rows that changed since, not with all rows.
 */
export async function readCounts(session: Session, version: number): Promise<CountedCombination[]> {
  type Stored = Omit<Change, "change"> & { change: string | null };
  const stored = await session.query<Stored>(withChanges("LEFT JOIN"), [version, END_OF_VERSIONS]);
  return stored
    .map(({ days, change, ...combination }) => {
      const cells = JSON.parse(days) as number[];
      return {
        ...combination,
        totals: runningTotals(change === null ? cells : addCounts(cells, JSON.parse(change), -1)),
      };
    })
    .filter(hasRows);
}

/** How the counts changed from the version `from` to the version `to`. The cost grows with the rows that changed. */
export async function readChanges(session: Session, from: number, to: number): Promise<Change[]> {
  return await session.query<Change>(withChanges("JOIN"), [from, to]);
}

/** The counts of a later version, from those of an earlier one and the changes between them. */
export function applyChanges(
  combinations: readonly CountedCombination[],
  changes: readonly Change[],
): CountedCombination[] {
  const known = new Map(combinations.map((combination) => [combination.id, combination]));
  const isNew = changes.some(({ id }) => !known.has(id));
  for (const { id, retailer, department, category, change } of changes) {
    const totals = known.get(id)?.totals ?? [];
    const cells = totals.map((value, at) => (at % 2 === 0 ? value : countAt(totals, at - 1)));
    known.set(id, { id, retailer, department, category, totals: runningTotals(addCounts(cells, JSON.parse(change))) });
  }
  const all = [...known.values()].filter(hasRows);
  return isNew ? all.sort(byName) : all;
}

/** Applies the changes of a version to the stored counts, in its transaction. */
export async function storeChanges(session: Session, changes: readonly Change[]): Promise<void> {
  const { isListed, jsonEach } = session.dialect;
  const days = changes.map(({ id, days, change }) => {
    return [id, JSON.stringify(addCounts(JSON.parse(days), JSON.parse(change)))];
  });
  await session.query(
    `UPDATE combination SET days = counted.value FROM ${jsonEach}(?1) AS counted
     WHERE combination.id = CAST(counted.key AS BIGINT) AND ${isListed("combination.retailer", 2, "TEXT")}`,
    [JSON.stringify(Object.fromEntries(days)), retailersOf(changes)],
  );
}

const hasRows = ({ totals }: CountedCombination) => totals.length > 0;

/** Adds the counts of other days to those of `cells`, or subtracts them. Days without rows are left out. */
function addCounts(cells: readonly number[], others: readonly number[], sign: 1 | -1 = 1): number[] {
  const rows = new Map<number, number>();
  const add = (list: readonly number[], factor: 1 | -1) => {
    for (let at = 0; at < list.length; at += 2) {
      const day = list[at] ?? 0;
      rows.set(day, (rows.get(day) ?? 0) + factor * (list[at + 1] ?? 0));
    }
  };
  add(cells, 1);
  add(others, sign);
  return [...rows]
    .filter(([, count]) => count !== 0)
    .sort(([day], [other]) => day - other)
    .flat();
}

function byName(one: Rcd, other: Rcd): number {
  const order = (name: keyof Rcd) => Buffer.compare(Buffer.from(one[name]), Buffer.from(other[name]));
  return order("retailer") || order("department") || order("category");
}

/** Turns the count of each day into a running total, in place. */
function runningTotals(cells: number[]): number[] {
  for (let at = 3; at < cells.length; at += 2) {
    cells[at] = (cells[at] ?? 0) + (cells[at - 2] ?? 0);
  }
  return cells;
}

/** The number of rows on the day at this index. */
export function countAt(totals: readonly number[], at: number): number {
  return countBefore(totals, at + 2) - countBefore(totals, at);
}

/** The number of rows on all days before this index. */
function countBefore(totals: readonly number[], at: number): number {
  return at === 0 ? 0 : (totals[at - 1] ?? 0);
}

export function retailersOf(combinations: readonly Rcd[]): string[] {
  return [...new Set(combinations.map(({ retailer }) => retailer))];
}

/** The counts of the combinations that have rows on these days. */
export function countsOn([first, last]: DayNumbers, combinations: readonly CountedCombination[]): CombinationCount[] {
  const counts: CombinationCount[] = [];
  for (const combination of combinations) {
    const { totals } = combination;
    const [start, end] = [placeFrom(totals, first), placeFrom(totals, last + 1)];
    if (start < end) {
      counts.push({
        combination,
        corpus_rows: countBefore(totals, totals.length),
        matching_rows: countBefore(totals, end) - countBefore(totals, start),
        earliest_date: dateText(totals[start]),
        latest_date: dateText(totals[end - 2]),
      });
    }
  }
  return counts;
}

/** The index of the first day that is not before `day`. */
export function placeFrom(totals: readonly number[], day: number): number {
  let [start, end] = [0, totals.length / 2];
  while (start < end) {
    const middle = (start + end) >> 1;
    [start, end] = (totals[2 * middle] ?? 0) < day ? [middle + 1, end] : [start, middle];
  }
  return 2 * start;
}

export function daysOf({ start_date, end_date }: Filters): DayNumbers {
  return [compactDay(start_date ?? "0000-00-00"), compactDay(end_date ?? "9999-12-31")];
}

/** `YYYY-MM-DD` as the number YYYYMMDD, which has the same order. */
export function compactDay(date: string): number {
  return Number(date.replaceAll("-", ""));
}

export function coverageEntry({ combination, ...counts }: CombinationCount): Coverage {
  const { retailer, department, category } = combination;
  return { retailer, department, category, rcd: formatRcd(combination), ...counts };
}

function dateText(day = 0): string {
  const digits = String(day).padStart(8, "0");
  return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
}
