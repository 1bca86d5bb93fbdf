import type { Context } from "../../cli/context.ts";
import { type Connection, withConnection } from "../../cli/source/connection.ts";
import type { CatalogClient } from "../../client/client.ts";
import type { CoverageResponse } from "../../client/responses/coverage-response.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { countDays, coverageOfNewestDays, type DayCounts } from "./day-counts.ts";
import type { CoverageOptions } from "./options.ts";

/** Where the counts come from: a service, or a folder of `catalog sync`. */
export interface CoverageSource extends Pick<Connection, "filters" | "service" | "reporter" | "signal"> {
  client: Pick<CatalogClient, "coverage">;
  /** The coverage of the filters; for `--group-by day` of a service without dates, that of the newest days. */
  coverage(): Promise<CoverageResponse>;
  /** The coverage of each brand; a service counts none. */
  brands(): Promise<readonly (Coverage & { brand: string })[]>;
  /** The rows of every day of a coverage. A service is asked once a day, a folder needs no request. */
  days(set: CoverageResponse): Promise<DayCounts>;
}

export async function withServiceSource(
  options: CoverageOptions,
  context: Context,
  use: (source: CoverageSource) => Promise<void>,
): Promise<void> {
  const { groupBy, maxRequests } = options;
  await withConnection(options, context, async (connection) => {
    const { client, filters, reporter, signal } = connection;
    const isUndated = filters.start_date === undefined && filters.end_date === undefined;
    await use({
      ...connection,
      coverage: () =>
        groupBy === "day" && isUndated
          ? coverageOfNewestDays(client, filters, signal)
          : client.coverage(filters, signal),
      brands: async () => [],
      days: (set) => {
        const total = set.meta.coverage.matching_rows;
        const onRows = (rows: number) => reporter.progress.update({ rows, total });
        return countDays(client, filters, set, { maxRequests, signal, onRows });
      },
    });
  });
}
