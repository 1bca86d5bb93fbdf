import type { CoverageSummary } from "../../../contract/coverage.ts";
import type { Filters } from "../../../contract/filters.ts";
import type { Session, SqlValue } from "../database/database-connection.ts";
import type { EmbeddedStore } from "../embedded.ts";
import { readColumnIndex, writeNextVersion } from "./column-index.ts";
import { createSnapshots } from "./snapshot.ts";

const IDS_AT_ONCE = 10_000;

/**
 * Removes the rows that match the filters, in one step. Walks that began earlier still read them.
 *
 * @returns their coverage, which counts them
 */
export async function removeRows(database: EmbeddedStore, filters: Filters): Promise<CoverageSummary> {
  return await database.write(async (session) => {
    const { summary, total, ids } = createSnapshots(await readColumnIndex(session)).newest.select(filters, null);
    if (total > 0) {
      const gone = await listGoneRows(session);
      for (let offset = 0; offset < total; offset += IDS_AT_ONCE) {
        await gone.add("SELECT value FROM json_each(?)", [`[${ids(offset, IDS_AT_ONCE).join(",")}]`]);
      }
      await writeNextVersion(session, gone.remove);
    }
    return summary;
  });
}

/** A list of rows that the next version lacks: the table `gone`, which belongs to the connection. It begins empty. */
export async function listGoneRows(session: Session) {
  await session.script("CREATE TEMP TABLE IF NOT EXISTS gone (id INTEGER PRIMARY KEY); DELETE FROM gone");
  return {
    /** @param select a query for ids of `product` */
    add: async (select: string, parameters: readonly SqlValue[] = []) => {
      await session.query(`INSERT INTO gone ${select}`, parameters);
    },
    count: async () => Number((await session.query("SELECT count(*) FROM gone"))[0]?.[0]),
    /** Removes the rows, as the change of `writeNextVersion`. */
    remove: async () => {
      await session.script(`
        INSERT INTO removed_row (id, product_id, sku, combination, day, body, sum, version)
        SELECT id, product_id, sku, combination, day, body, sum, version
        FROM gone JOIN product USING (id), data_version;
        DELETE FROM product WHERE id IN (SELECT id FROM gone);
        DELETE FROM gone`);
    },
  };
}
