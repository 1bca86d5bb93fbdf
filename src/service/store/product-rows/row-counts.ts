import type { Coverage, CoverageSummary } from "../../../contract/coverage.ts";
import { combinationFilter } from "../../../contract/filter-match.ts";
import { type Filters, formatRcd, type Rcd } from "../../../contract/filters.ts";
import type { Session } from "../database/database-session.ts";
import { DamagedDataError, type Visibility } from "../store.ts";
import { blobOf } from "./row-texts.ts";

/** The first and the last day, inclusive, each as the number YYYYMMDD. */
export type DayNumbers = readonly [first: number, last: number];

export const ALL_DAYS: DayNumbers = [0, 9999_12_31];

/** The rows of a combination in one version of the data. */
export interface CombinationCount extends Rcd {
  id: number;
  /** Rows on any day. */
  corpus: number;
  /** Rows in a range of days, and the first and the last of these days. Null without rows. */
  matching: number;
  earliest: number | null;
  latest: number | null;
}

/** The columns that are its members. */
const COUNT_COLUMNS = ["id", "retailer", "department", "category", "corpus", "matching", "earliest", "latest"];

/**
 * Counts the rows of each combination in a version, sorted by retailer, department, category (UTF-8 bytes). The cost
 * depends on the number of combinations and days, not on the number of rows.
 *
 * @throws DamagedDataError
 */
export async function readCounts(session: Session, version: number, days: DayNumbers): Promise<CombinationCount[]> {
  const { bytes, jsonArray, jsonObject } = session.dialect;
  const [[counts] = []] = await session.query(
    `WITH day_rows AS (
       SELECT combination, day, sum(rows) AS present, day BETWEEN ?2 AND ?3 AS matches
       FROM row_count WHERE version <= ?1 GROUP BY combination, day HAVING sum(rows) <> 0
     ), combination_rows AS (
       SELECT combination, sum(present) AS corpus, coalesce(sum(present) FILTER (WHERE matches), 0) AS matching,
         min(day) FILTER (WHERE matches) AS earliest, max(day) FILTER (WHERE matches) AS latest
       FROM day_rows GROUP BY combination
     )
     SELECT ${bytes(jsonArray(jsonObject(COUNT_COLUMNS), "retailer, department, category"))}
     FROM combination_rows JOIN combination ON combination.id = combination_rows.combination`,
    [version, ...days],
  );
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(blobOf(counts))) as CombinationCount[];
  } catch (error) {
    throw new DamagedDataError("the vocabulary in the database is damaged", { cause: error });
  }
}

/**
 * Compares the counts of a version in a file with its rows, or only what differs from another version. Then the cost depends
 * on the rows that were added and removed between both.
 *
 * @param compared a version whose counts are right
 * @throws DamagedDataError if they differ, because a wrong count would be a wrong coverage
 */
export async function checkCounts(session: Session, version: number, compared = 0): Promise<void> {
  const [first, last] = [Math.min(version, compared), Math.max(version, compared)];
  // Ids rise from version to version. An index with the places of all rows is read faster than the rows.
  const added =
    first === 0
      ? "INDEXED BY product_place WHERE"
      : "NOT INDEXED WHERE id > (SELECT coalesce(max(id), 0) FROM product NOT INDEXED WHERE added <= ?1) AND";
  const [[differences] = []] = await session.query(
    `SELECT count(*) FROM (
       SELECT 1 FROM (
         SELECT combination, day, rows FROM row_count WHERE version > ?1 AND version <= ?2
         UNION ALL
         SELECT combination, day, -count(*) FROM product ${added}
         added > ?1 AND added <= ?2 AND (removed IS NULL OR removed > ?2) GROUP BY combination, day
         UNION ALL
         SELECT combination, day, count(*) FROM product INDEXED BY product_removed
         WHERE removed > ?1 AND removed <= ?2 AND added <= ?1 GROUP BY combination, day
       ) GROUP BY combination, day HAVING sum(rows) <> 0
     )`,
    [first, last],
  );
  if (differences !== 0) {
    throw new DamagedDataError(`the database counts other rows than it has, in ${differences} combinations and days`);
  }
}

/** The combinations with matching rows that a team can see. */
export function wantedCounts(
  counts: readonly CombinationCount[],
  filters: Filters,
  visible: Visibility,
): CombinationCount[] {
  const isWanted = combinationFilter(filters);
  return counts.filter((count) => count.matching > 0 && isVisible(count.retailer, visible) && isWanted(count));
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
    earliest_date: dateText(count.earliest ?? 0),
    latest_date: dateText(count.latest ?? 0),
  };
}

/** @param counts of combinations with matching rows */
export function summarise(counts: readonly CombinationCount[]): CoverageSummary {
  const summary = { combinations: counts.length, matching_rows: 0, corpus_rows: 0 };
  let [latest, earliest] = ALL_DAYS;
  for (const count of counts) {
    summary.matching_rows += count.matching;
    summary.corpus_rows += count.corpus;
    earliest = Math.min(earliest, count.earliest ?? earliest);
    latest = Math.max(latest, count.latest ?? latest);
  }
  const isEmpty = counts.length === 0;
  return {
    ...summary,
    earliest_date: isEmpty ? null : dateText(earliest),
    latest_date: isEmpty ? null : dateText(latest),
  };
}

function dateText(day: number): string {
  const digits = String(day).padStart(8, "0");
  return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
}
