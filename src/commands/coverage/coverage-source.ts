import type { Context } from "../../cli/context.ts";
import { type Connection, connect } from "../../cli/source/connection.ts";
import type { CatalogClient } from "../../client/client.ts";
import type { CoverageResponse } from "../../client/responses/coverage-response.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { addDays, dayOf, daysBetween } from "../../contract/values/day-arithmetic.ts";
import { plural } from "../../contract/values/phrases.ts";
import type { SetFilters } from "../../pull/set-filters.ts";
import { countDays, type DayCounts, NEWEST_DAYS } from "./day-counts.ts";
import type { CoverageOptions } from "./options.ts";

/** Where the counts come from: a service, or a folder of `catalog sync`. */
export interface CoverageSource
  extends Pick<Connection, "filters" | "service" | "reporter" | "signal">,
    AsyncDisposable {
  client: Pick<CatalogClient, "coverage">;
  /** The coverage of the filters; for `--group-by day` of a service without dates, that of the newest days. */
  coverage(): Promise<CoverageResponse>;
  /** The coverage of each brand; a service counts none. */
  brands(filters: SetFilters): Promise<readonly (Coverage & { brand: string })[]>;
  /** The rows of every day of a coverage. A service is asked once a day, a folder needs no request. */
  days(set: CoverageResponse): Promise<DayCounts>;
}

export async function openServiceSource(options: CoverageOptions, context: Context): Promise<CoverageSource> {
  const { groupBy, maxRequests } = options;
  const connection = await connect(options, context);
  const { client, filters, reporter, signal } = connection;
  const isUndated = filters.start_date === undefined && filters.end_date === undefined;
  return {
    ...connection,
    coverage: () =>
      groupBy === "day" && isUndated
        ? coverageOfNewestDays(connection, context.now())
        : client.coverage(filters, signal),
    brands: async () => [],
    days: (set) => {
      const total = set.meta.coverage.matching_rows;
      const onRows = (rows: number) => reporter.progress.update({ rows, total });
      return countDays(client, filters, set, { maxRequests, signal, onRows });
    },
  };
}

/** The coverage of the newest days of a service; a set of fewer days is returned as it is. */
async function coverageOfNewestDays(connection: Connection, now: number): Promise<CoverageResponse> {
  const { client, filters, signal } = connection;
  const all = await client.coverage(filters, signal);
  const known = await newestUpToToday(all, connection, now);
  const { earliest_date, latest_date } = known.meta.coverage;
  if (earliest_date === null || latest_date === null) {
    return all;
  }
  const isShort = daysBetween(earliest_date, latest_date) <= NEWEST_DAYS;
  const start_date = isShort ? earliest_date : addDays(latest_date, 1 - NEWEST_DAYS);
  return isShort && known === all
    ? all
    : await client.coverage({ ...filters, start_date, end_date: latest_date }, signal);
}

/**
 * A coverage whose `latest_date`s are not after today (UTC), with a warning if any was: a crawler with a wrong clock writes
 * such days. Their rows stay counted.
 */
export async function newestUpToToday(
  response: CoverageResponse,
  { client, filters, reporter, signal }: Pick<CoverageSource, "client" | "filters" | "reporter" | "signal">,
  now: number,
): Promise<CoverageResponse> {
  const today = dayOf(now);
  const { data, meta } = response;
  const { latest_date: newestDay } = meta.coverage;
  const { start_date = today } = filters;
  if (newestDay === null || newestDay <= today || start_date > today) {
    return response;
  }
  const known = await client.coverage({ ...filters, end_date: today }, signal);
  const { matching_rows, latest_date } = known.meta.coverage;
  const later = plural(meta.coverage.matching_rows - matching_rows, "row");
  reporter.warn(`${later} of days after today: these days are never the newest`);
  const newest = new Map(known.data.map((entry) => [entry.rcd, entry.latest_date]));
  return {
    ...response,
    data: data.map((entry) => ({ ...entry, latest_date: newest.get(entry.rcd) ?? entry.latest_date })),
    meta: { ...meta, coverage: { ...meta.coverage, latest_date } },
  };
}
