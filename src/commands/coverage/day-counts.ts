import type { CatalogClient } from "../../client/client.ts";
import type { CoverageResponse } from "../../client/responses/coverage-response.ts";
import { SetChangedError, UsageError } from "../../contract/errors.ts";
import type { Filters } from "../../contract/filters.ts";
import { addDays, daysBetween } from "../../contract/values/day-arithmetic.ts";
import { groupDigits } from "../../contract/values/phrases.ts";

/** Rows of each combination (`retailer:category:department`) on each day that has rows. */
export type DayCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Days that are counted if the filters name none: the newest of the set. */
export const NEWEST_DAYS = 30;

/** Coverage requests sent at once. */
const CONCURRENCY = 4;

export interface DayCounting {
  /** Maximum number of days, each of which takes one request. */
  maxRequests: number;
  signal: AbortSignal;
  /** Called after each day with the rows counted so far. */
  onRows: (rows: number) => void;
}

/**
 * Counts the rows of each day of a set with one coverage request a day (contract section 4.4).
 *
 * @param set the coverage of the days to count
 * @throws UsageError if that takes more than `maxRequests` requests
 * @throws SetChangedError if the days do not add up to the set
 */
export async function countDays(
  client: Pick<CatalogClient, "coverage">,
  filters: Filters,
  set: CoverageResponse,
  { maxRequests, signal, onRows }: DayCounting,
): Promise<DayCounts> {
  const { earliest_date, latest_date, matching_rows } = set.meta.coverage;
  const days =
    earliest_date === null || latest_date === null
      ? []
      : Array.from({ length: daysBetween(earliest_date, latest_date) }, (_, index) => addDays(earliest_date, index));
  if (days.length > maxRequests) {
    throw tooManyDays(days.length, maxRequests);
  }
  const counts = new Map<string, Map<string, number>>();
  let rows = 0;
  const queue = days.values();
  const work = async () => {
    for (const day of queue) {
      const { data } = await client.coverage({ ...filters, start_date: day, end_date: day }, signal);
      const found = data.filter((entry) => entry.matching_rows > 0);
      if (found.length > 0) {
        counts.set(day, new Map(found.map((entry) => [entry.rcd, entry.matching_rows])));
      }
      rows = found.reduce((sum, entry) => sum + entry.matching_rows, rows);
      onRows(rows);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  if (rows !== matching_rows) {
    throw new SetChangedError(
      `the set changed while its days were counted: ${groupDigits(matching_rows)} rows at first, then ${groupDigits(rows)}`,
    );
  }
  return counts;
}

function tooManyDays(days: number, maxRequests: number): UsageError {
  return new UsageError(
    `--group-by day asks the service once a day, and ${groupDigits(days)} days match; --max-requests allows ${groupDigits(maxRequests)}. Name fewer days, as in --start-date 30d, allow more requests, or count a synced folder without any: --from DIR.`,
    { flag: "--max-requests" },
  );
}

/** Says how many days between the first and the last have no rows; nothing if every day has some. */
export function describeGaps(counts: DayCounts): string[] {
  const days = [...counts.keys()].sort();
  const [first, last] = [days[0], days.at(-1)];
  const gaps = first === undefined || last === undefined ? 0 : daysBetween(first, last) - days.length;
  const what = gaps === 1 ? "1 day without rows is" : `${groupDigits(gaps)} days without rows are`;
  return gaps === 0 ? [] : [`${what} not listed`];
}
