import type { Coverage } from "../../../contract/coverage.ts";
import { type Filters, formatRcd, type Rcd } from "../../../contract/filters.ts";
import type { Session } from "../database/database-session.ts";

/** A combination, and its rows in one version of the data. */
export interface CountedCombination extends Rcd {
  id: number;
  /**
   * Pairs of a day with rows (YYYYMMDD) and the number of rows up to its end, in the order of days: the rows of any range of days are
   * the difference of two of these numbers.
   */
  sums: readonly number[];
}

/** The rows of a combination on any day, and its rows, at least one, on a range of days. */
export interface CombinationCount extends Omit<Coverage, keyof Rcd | "rcd"> {
  combination: CountedCombination;
}

/** The first and the last day, inclusive, each as the number YYYYMMDD. */
export type DayNumbers = readonly [first: number, last: number];

/** After the number of every version. */
const END_OF_VERSIONS = Number.MAX_SAFE_INTEGER;

/**
 * Combinations, and how many rows more (or, negative, fewer) the version ?2 has of them than the version ?1, by day. It is done in
 * steps: otherwise PostgreSQL would follow the indexes of all rows, whose order saves it from sorting (`enable_sort=off`).
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

/** A combination whose rows changed. Its days and the change are JSON texts: a day, its rows, the next day and so on. */
interface Change extends Rcd {
  id: number;
  /** In the newest version. */
  days: string;
  change: string;
}

/**
 * Counts the rows of each combination in a version, sorted by retailer, department and category (UTF-8 bytes). The cost depends on
 * combinations, their days, and rows that changed since, not on the number of rows.
 */
export async function readCounts(session: Session, version: number): Promise<CountedCombination[]> {
  type Stored = Omit<Change, "change"> & { change: string | null };
  const stored = await session.query<Stored>(withChanges("LEFT JOIN"), [version, END_OF_VERSIONS]);
  return stored
    .map(({ days, change, ...combination }) => {
      const cells = JSON.parse(days) as number[];
      return { ...combination, sums: summed(change === null ? cells : sumOf(cells, JSON.parse(change), -1)) };
    })
    .filter(hasRows);
}

/** What the version `to` has more, and fewer, than the version `from`. The cost depends on the rows that changed. */
export async function readChanges(session: Session, from: number, to: number): Promise<Change[]> {
  return await session.query<Change>(withChanges("JOIN"), [from, to]);
}

/** The counts of a version with the changes of later ones. */
export function changed(combinations: readonly CountedCombination[], changes: readonly Change[]): CountedCombination[] {
  const known = new Map(combinations.map((combination) => [combination.id, combination]));
  const isNew = changes.some(({ id }) => !known.has(id));
  for (const { id, retailer, department, category, change } of changes) {
    const sums = known.get(id)?.sums ?? [];
    const cells = sums.map((value, at) => (at % 2 === 0 ? value : rowsAt(sums, at - 1)));
    known.set(id, { id, retailer, department, category, sums: summed(sumOf(cells, JSON.parse(change))) });
  }
  const all = [...known.values()].filter(hasRows);
  return isNew ? all.sort(byName) : all;
}

/** Adds the changes of a version to the stored counts, in its transaction. */
export async function addChanges(session: Session, changes: readonly Change[]): Promise<void> {
  const { isListed, jsonEach } = session.dialect;
  const days = changes.map(({ id, days, change }) => {
    return [id, JSON.stringify(sumOf(JSON.parse(days), JSON.parse(change)))];
  });
  await session.query(
    `UPDATE combination SET days = counted.value FROM ${jsonEach}(?1) AS counted
     WHERE combination.id = CAST(counted.key AS BIGINT) AND ${isListed("combination.retailer", 2, "TEXT")}`,
    [JSON.stringify(Object.fromEntries(days)), retailersOf(changes)],
  );
}

const hasRows = ({ sums }: CountedCombination) => sums.length > 0;

/** Days and their rows, with others added or taken away. Days without rows are left out. */
function sumOf(cells: readonly number[], others: readonly number[], sign: 1 | -1 = 1): number[] {
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

/** Adds to the rows of each day those of the days before, in the array that is given. */
function summed(cells: number[]): number[] {
  for (let at = 3; at < cells.length; at += 2) {
    cells[at] = (cells[at] ?? 0) + (cells[at - 2] ?? 0);
  }
  return cells;
}

/** The rows on the day at this place of the sums. */
export function rowsAt(sums: readonly number[], at: number): number {
  return rowsBefore(sums, at + 2) - rowsBefore(sums, at);
}

/** The rows on all days before this place. */
function rowsBefore(sums: readonly number[], at: number): number {
  return at === 0 ? 0 : (sums[at - 1] ?? 0);
}

export function retailersOf(combinations: readonly Rcd[]): string[] {
  return [...new Set(combinations.map(({ retailer }) => retailer))];
}

/** The counts of the combinations that have rows on these days. */
export function countsOn([first, last]: DayNumbers, combinations: readonly CountedCombination[]): CombinationCount[] {
  const counts: CombinationCount[] = [];
  for (const combination of combinations) {
    const { sums } = combination;
    const [start, end] = [placeFrom(sums, first), placeFrom(sums, last + 1)];
    if (start < end) {
      counts.push({
        combination,
        corpus_rows: rowsBefore(sums, sums.length),
        matching_rows: rowsBefore(sums, end) - rowsBefore(sums, start),
        earliest_date: dateText(sums[start]),
        latest_date: dateText(sums[end - 2]),
      });
    }
  }
  return counts;
}

/** The place of the first day that is not before another one. */
export function placeFrom(sums: readonly number[], day: number): number {
  let [start, end] = [0, sums.length / 2];
  while (start < end) {
    const middle = (start + end) >> 1;
    [start, end] = (sums[2 * middle] ?? 0) < day ? [middle + 1, end] : [start, middle];
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
