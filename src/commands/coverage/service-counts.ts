import type { Connection } from "../../cli/source/connection.ts";
import { newestDay } from "../../cli/source/empty-result.ts";
import { SetChangedError, UsageError } from "../../contract/errors.ts";
import { addDays, daysBetween } from "../../contract/values/day-arithmetic.ts";
import { groupDigits, plural } from "../../contract/values/phrases.ts";
import type { SetFilters } from "../../pull/set-filters.ts";
import { NEWEST_DAYS } from "./columns.ts";
import { type Counts, type CoverageSet, type DayRows, setOf, upToToday } from "./counts.ts";
import type { CoverageOptions } from "./options.ts";

type Ask = (filters: SetFilters) => Promise<CoverageSet>;

const CONCURRENCY = 4;

/** Asks a service for the coverage of the filters, and for as few others as the options need. */
export async function countService(
  connection: Connection,
  { groupBy, failIf, maxRequests }: CoverageOptions,
  now: number,
): Promise<Counts> {
  const { client, filters, signal } = connection;
  const ask: Ask = async (filters) => setOf((await client.coverage(filters, signal)).data);
  const { start_date, end_date, daysByRetailer: _, ...undatedFilters } = filters;
  const isDated = start_date !== undefined || end_date !== undefined;
  const found = await ask(filters);
  const isEmpty = found.combinations.length === 0;
  const newest = isEmpty ? await newestDay(connection) : undefined;
  if (groupBy === "day") {
    const set = isDated ? found : await newestDays(found, connection, ask, now);
    return { ...set, parts: [], undated: [], days: await countDays(set, connection, maxRequests), newest };
  }
  const set = await upToToday(found, connection, now, ask);
  const needsCorpus = isDated && !isEmpty && (groupBy !== undefined || failIf !== undefined);
  const undated = needsCorpus ? (await ask(undatedFilters)).combinations : set.combinations;
  return { ...set, parts: set.combinations, undated, days: [], newest };
}

/** The newest days of a set without dates; a set of fewer days as it is. */
async function newestDays(all: CoverageSet, connection: Connection, ask: Ask, now: number): Promise<CoverageSet> {
  const known = await upToToday(all, connection, now, ask);
  const { earliest_date, latest_date } = known.summary;
  if (earliest_date === null || latest_date === null) {
    return all;
  }
  const isShort = daysBetween(earliest_date, latest_date) <= NEWEST_DAYS;
  const start_date = isShort ? earliest_date : addDays(latest_date, 1 - NEWEST_DAYS);
  return isShort && known === all ? all : await ask({ ...connection.filters, start_date, end_date: latest_date });
}

/**
 * Counts the rows of each day of a set with one coverage request a day (contract section 4.4).
 *
 * @throws UsageError if that takes more than `maxRequests` requests
 * @throws SetChangedError if the days do not add up to the set
 */
async function countDays({ summary }: CoverageSet, connection: Connection, maxRequests: number): Promise<DayRows[]> {
  const { client, filters, signal, reporter } = connection;
  const { earliest_date, latest_date, matching_rows: total } = summary;
  const days =
    earliest_date === null || latest_date === null
      ? []
      : Array.from({ length: daysBetween(earliest_date, latest_date) }, (_, index) => addDays(earliest_date, index));
  if (days.length > maxRequests) {
    throw tooManyDays(days.length, maxRequests);
  }
  const counts: DayRows[] = [];
  let rows = 0;
  const queue = days.values();
  const work = async () => {
    for (const day of queue) {
      const { data } = await client.coverage({ ...filters, start_date: day, end_date: day }, signal);
      for (const { rcd, matching_rows } of data.filter((one) => one.matching_rows > 0)) {
        counts.push({ day, rcd, rows: matching_rows });
        rows += matching_rows;
      }
      reporter.progress.update({ rows, total });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  if (rows !== total) {
    throw new SetChangedError(
      `the set changed while its days were counted: ${plural(total, "row")} at first, then ${groupDigits(rows)}`,
    );
  }
  return counts;
}

function tooManyDays(days: number, maxRequests: number): UsageError {
  return new UsageError(
    `--group-by day asks the service once a day, and ${groupDigits(days)} days match; --max-requests allows ${groupDigits(maxRequests)}. Name fewer days, as in --start-date ${Math.min(30, maxRequests - 1)}d --end-date today, allow more requests, or count a synced folder without any: --from DIR.`,
    { flag: "--max-requests" },
  );
}
