import type { Coverage } from "../../../contract/coverage.ts";
import { combinationFilter } from "../../../contract/filter-match.ts";
import { type Filters, formatRcd, type Rcd } from "../../../contract/filters.ts";
import type { Session } from "../database/database-session.ts";
import type { Visibility } from "../store.ts";

/** The first and the last day, inclusive, each as the number YYYYMMDD. */
export type DayNumbers = readonly [first: number, last: number];

/** The rows of a combination in one version of the data. */
export interface CombinationCount extends Rcd {
  id: number;
  /** Rows on any day. */
  corpus: number;
  /** Rows in a range of days, at least one, and the first and the last of these days. */
  matching: number;
  earliest: number;
  latest: number;
}

/** The rows of one version that match a set of filters. */
export interface RowSet {
  version: number;
  days: DayNumbers;
  /** Those with matching rows. */
  combinations: readonly CombinationCount[];
  /** Whether these are all combinations with rows on these days. */
  isWhole: boolean;
  /** Rows of the set, and of all combinations. */
  total: number;
  stored: number;
}

export const ALL_DAYS: DayNumbers = [0, 9999_12_31];

const COUNT_COLUMNS = ["id", "retailer", "department", "category", "rows", "first_day", "last_day"];

/** What changed since the version ?1: rows of a combination and day that it has more, or fewer. Most often nothing. */
const CHANGED = `
  SELECT retailer, combination, day, -count(*) AS rows FROM product
  WHERE added > ?1 AND removed IS NULL GROUP BY retailer, combination, day
  UNION ALL
  SELECT retailer, combination, day, count(*) AS rows FROM product
  WHERE removed > ?1 AND added <= ?1 GROUP BY retailer, combination, day`;

/** What is kept of each combination, and the rows of those days that are wanted. */
const WHOLE = "SELECT id AS combination, rows, first_day, last_day FROM combination WHERE rows > 0";
const OF_DAYS = `
  SELECT combination, sum(rows) AS rows, min(day) AS first_day, max(day) AS last_day FROM row_count
  WHERE day BETWEEN ?2 AND ?3 GROUP BY combination`;

/** Combinations that changed since the version are counted from their days. */
const countsOf = (unchanged: string) => `
  WITH changed AS (${CHANGED}), cell AS (
    SELECT combination, day, sum(rows) AS rows FROM (
      SELECT combination, day, rows FROM row_count
      WHERE (retailer, combination) IN (SELECT retailer, combination FROM changed)
      UNION ALL SELECT combination, day, rows FROM changed
    ) AS part WHERE day BETWEEN ?2 AND ?3 GROUP BY combination, day HAVING sum(rows) <> 0
  )
  SELECT combination, rows, first_day, last_day FROM (${unchanged}) AS unchanged
  WHERE combination NOT IN (SELECT combination FROM changed)
  UNION ALL SELECT combination, sum(rows), min(day), max(day) FROM cell GROUP BY combination`;

/**
 * Counts the rows of each combination in a version, sorted by retailer, department and category (UTF-8 bytes). The cost depends on
 * combinations, their days, and rows that changed since, not on the number of rows. @param all the counts of all days, if known
 */
export async function combinationCounts(
  session: Session,
  version: number,
  days: DayNumbers,
  all?: readonly CombinationCount[],
): Promise<CombinationCount[]> {
  const isWhole = days.join() === ALL_DAYS.join();
  if (isWhole) {
    return (await readCounts(session, version, days)).map(({ rows, first_day, last_day, ...combination }) => {
      return { ...combination, corpus: rows, matching: rows, earliest: first_day, latest: last_day };
    });
  }
  const matching = new Map((await readCounts(session, version, days)).map((count) => [count.id, count]));
  const combinations = all ?? (await combinationCounts(session, version, ALL_DAYS));
  return combinations.flatMap((combination) => {
    const count = matching.get(combination.id);
    return count === undefined
      ? []
      : [{ ...combination, matching: count.rows, earliest: count.first_day, latest: count.last_day }];
  });
}

interface StoredCount extends Rcd {
  id: number;
  rows: number;
  first_day: number;
  last_day: number;
}

async function readCounts(session: Session, version: number, days: DayNumbers): Promise<StoredCount[]> {
  const { jsonArray, jsonObject } = session.dialect;
  const isWhole = days.join() === ALL_DAYS.join();
  const [[counts] = []] = await session.query(
    `SELECT ${jsonArray(jsonObject(COUNT_COLUMNS), "retailer, department, category")} FROM (
       SELECT id, retailer, department, category, counted.rows, counted.first_day, counted.last_day
       FROM (${countsOf(isWhole ? WHOLE : OF_DAYS)}) AS counted JOIN combination ON combination.id = counted.combination
     ) AS named`,
    [version, ...days],
  );
  return JSON.parse(String(counts)) as StoredCount[];
}

/** The rows of a version on each day of some combinations, sorted by both. */
export async function readDays(
  session: Session,
  version: number,
  days: DayNumbers,
  combinations: readonly CombinationCount[],
): Promise<{ combination: number; day: number; rows: number }[]> {
  const { isListed } = session.dialect;
  const listed = `${isListed("combination", 4, "BIGINT")} AND ${isListed("retailer", 5, "TEXT")}`;
  const found = await session.query(
    `SELECT combination, day, CAST(sum(rows) AS BIGINT) FROM (
       SELECT combination, day, rows FROM row_count WHERE ${listed}
       UNION ALL SELECT combination, day, rows FROM (${CHANGED}) AS changed WHERE ${listed}
     ) AS part WHERE day BETWEEN ?2 AND ?3 GROUP BY combination, day HAVING sum(rows) <> 0 ORDER BY combination, day`,
    [version, ...days, combinations.map(({ id }) => id), retailersOf(combinations)],
  );
  return found.map(([combination, day, rows]) => ({
    combination: Number(combination),
    day: Number(day),
    rows: Number(rows),
  }));
}

export function retailersOf(combinations: readonly Rcd[]): string[] {
  return [...new Set(combinations.map(({ retailer }) => retailer))];
}

/** The combinations with matching rows that a team can see. */
export function wantedCounts(
  counts: readonly CombinationCount[],
  filters: Filters,
  visible: Visibility,
): CombinationCount[] {
  const isWanted = combinationFilter(filters);
  return counts.filter((count) => isVisible(count.retailer, visible) && isWanted(count));
}

export function daysOf({ start_date, end_date }: Filters): DayNumbers {
  const [first, last] = ALL_DAYS;
  return [
    start_date === undefined ? first : compactDay(start_date),
    end_date === undefined ? last : compactDay(end_date),
  ];
}

/** `YYYY-MM-DD` as the number YYYYMMDD, which has the same order. */
export function compactDay(date: string): number {
  return Number(date.replaceAll("-", ""));
}

/** Whether a team can see a retailer. */
export function isVisible(retailer: string, visible: Visibility): boolean {
  return visible === null || visible.includes(retailer);
}

export function coverageEntry(count: CombinationCount): Coverage {
  return {
    retailer: count.retailer,
    department: count.department,
    category: count.category,
    rcd: formatRcd(count),
    corpus_rows: count.corpus,
    matching_rows: count.matching,
    earliest_date: dateText(count.earliest),
    latest_date: dateText(count.latest),
  };
}

function dateText(day: number): string {
  const digits = String(day).padStart(8, "0");
  return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
}
