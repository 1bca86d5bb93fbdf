import type { CoverageSummary } from "../../../contract/coverage.ts";
import type { Filters } from "../../../contract/filters.ts";
import type { EmbeddedStore } from "../embedded.ts";
import { daysOf, readCounts, summarise, wantedCounts } from "./row-counts.ts";
import { beginNextVersion, readVersion, removeFromVersion } from "./versions.ts";

/**
 * Removes the rows that match the filters, in one step. Walks that began earlier still read them.
 *
 * @returns their coverage, which counts them
 */
export async function removeRows(database: EmbeddedStore, filters: Filters): Promise<CoverageSummary> {
  return await database.write(async (session) => {
    const days = daysOf(filters);
    const wanted = wantedCounts(await readCounts(session, await readVersion(session), days), filters, null);
    const summary = summarise(wanted);
    if (summary.matching_rows > 0) {
      await beginNextVersion(session);
      await session.script("CREATE TEMP TABLE IF NOT EXISTS gone (id INTEGER PRIMARY KEY); DELETE FROM gone");
      const combinations = JSON.stringify(wanted.map(({ id }) => id));
      await session.query(
        `INSERT INTO gone SELECT id FROM product
         WHERE combination IN (SELECT value FROM json_each(?)) AND day BETWEEN ? AND ? AND removed IS NULL`,
        [combinations, ...days],
      );
      await removeFromVersion(session, "SELECT id FROM gone");
    }
    return summary;
  });
}
