import type { CoverageSummary } from "../../../contract/coverage.ts";
import type { Filters } from "../../../contract/filters.ts";
import type { WritableStore } from "../writable-store.ts";
import { daysOf, readCounts, summarise, wantedCounts } from "./row-counts.ts";
import { beginNextVersion, readVersion, removeFromVersion } from "./versions.ts";

/**
 * Removes the rows that match the filters, in one step. Walks that began earlier still read them.
 *
 * @returns their coverage, which counts them
 */
export async function removeRows(database: WritableStore, filters: Filters): Promise<CoverageSummary> {
  return await database.changeRows(async (session) => {
    const days = daysOf(filters);
    const wanted = wantedCounts(await readCounts(session, await readVersion(session), days), filters, null);
    const summary = summarise(wanted);
    if (summary.matching_rows > 0) {
      await beginNextVersion(session);
      const matches = `${session.dialect.isListed("combination")} AND day BETWEEN ? AND ?`;
      await removeFromVersion(session, matches, [wanted.map(({ id }) => id), ...days]);
    }
    return summary;
  });
}
