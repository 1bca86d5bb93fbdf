import { readFileSync } from "node:fs";
import pg from "pg";
import { openStore } from "../../src/service/store/writable-store.ts";

/** Further PostgreSQL servers for the tests, which have parts of the rows. */
export const TEST_SHARDS = (process.env.CATALOG_TEST_SHARDS ?? "").split(" ").filter(Boolean);

/** The SQL of the page, in its order: on each further server, then on the first server once, and once for each schema. */
const PAGE = readFileSync(new URL("../../docs/scale.md", import.meta.url), "utf8");
const [ON_SHARD = "", SERVERS = "", DIVIDE = ""] = Array.from(
  PAGE.matchAll(/^ *```sql\n([^`]+)```/gm),
  ([, sql = ""]) => sql,
);

/** Names the further servers to the first one, as the page says, at their addresses here. */
export async function nameShards(first: string): Promise<void> {
  const named = TEST_SHARDS.reduce((sql, shard, index) => {
    const { hostname, port, pathname } = new URL(shard);
    const example = `host 'db${index + 1}.example.com', port '5432', dbname 'catalog'`;
    if (!sql.includes(example)) {
      throw new Error(`docs/scale.md has no ${example}`);
    }
    return sql.replace(example, `host '${hostname}', port '${port}', dbname '${pathname.slice(1)}'`);
  }, SERVERS);
  await runSql(first, named);
}

/** Divides the rows of a schema among the servers. The schema is on all of them; only that of the first one may have rows. */
export async function divideRows(first: string): Promise<void> {
  const [, ...shards] = addressesOf(first);
  await Promise.all([
    createTables(first),
    ...shards.map(async (shard) => {
      await createTables(shard);
      await runSql(shard, ON_SHARD);
    }),
  ]);
  await runSql(first, DIVIDE);
}

/** The schema of the first server, and that of the same name on each further one. */
export function addressesOf(first: string): string[] {
  const shards = TEST_SHARDS.map((shard) => Object.assign(new URL(shard), { search: new URL(first).search }));
  return [first, ...shards.map(({ href }) => href)];
}

async function createTables(location: string): Promise<void> {
  await (await openStore(location)).close();
}

export async function runSql(location: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client(location);
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
