import type { Context } from "../../cli/context.ts";
import { type Connection, withConnection } from "../../cli/source/connection.ts";
import type { CatalogClient } from "../../client/client.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { UsageError } from "../../contract/errors.ts";
import { groupDigits } from "../../contract/values/counted.ts";
import { countDays, type DayCounts, type EndDays, requestsFor } from "./day-counts.ts";
import { type CoverageOptions, DAY_REQUESTS } from "./options.ts";

/** Where the counts come from: a service, or a folder of `catalog sync`. */
export interface CoverageSource extends Pick<Connection, "filters" | "service" | "reporter" | "signal"> {
  client: Pick<CatalogClient, "coverage">;
  /** The coverage of each brand; a service counts none. */
  brands(): Promise<readonly (Coverage & { brand: string })[]>;
  /**
   * The rows of every day that matches the filters, or at least of some wanted days. Those of a folder take no request.
   *
   * @param coverage of the filters
   * @throws UsageError if that may take more requests than the options allow
   */
  days(coverage: readonly Coverage[], wanted?: EndDays): Promise<DayCounts>;
}

export async function withServiceSource(
  options: CoverageOptions,
  context: Context,
  use: (source: CoverageSource) => Promise<void>,
): Promise<void> {
  const { maxRequests } = options;
  await withConnection(options, context, async (connection) => {
    const { client, filters, reporter, signal } = connection;
    const days: CoverageSource["days"] = async (coverage, wanted) => {
      // The request that returned `coverage` counts too.
      const needed = requestsFor(coverage, wanted) + 1;
      if (needed > maxRequests) {
        throw new UsageError(
          `--group-by day may take ${groupDigits(needed)} coverage requests here, which the whole team has to share; --max-requests allows ${groupDigits(maxRequests)}. Name fewer days, as in --start-date 30d or -n 30, allow them with --max-requests ${needed}, or count a synced folder without any request: --from DIR.`,
          // Only a number that was typed can be corrected.
          { flag: "--max-requests", suggestions: maxRequests === DAY_REQUESTS ? [] : [String(needed)] },
        );
      }
      const total = coverage.reduce((sum, { matching_rows }) => sum + matching_rows, 0);
      const onRows = (rows: number) => reporter.progress.update({ rows, total });
      return await countDays(client, filters, coverage, { wanted, requests: maxRequests - 1, signal, onRows });
    };
    await use({ ...connection, brands: async () => [], days });
  });
}
