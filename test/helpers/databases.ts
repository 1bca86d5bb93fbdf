import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { openStore } from "../../src/service/store/store.ts";
import { temporaryFolder } from "./cli.ts";

/** A PostgreSQL database for the tests. Without it, they use the embedded engine. */
export const TEST_POSTGRES = process.env.CATALOG_TEST_DATABASE ?? "";

/** Divides the rows by the hash of their retailer, as the page says. Undefined in tests of one table. */
const PARTITIONS =
  process.env.CATALOG_TEST_PARTITIONS === undefined
    ? undefined
    : /```sql\n([^`]+)```/.exec(readFileSync(new URL("../../docs/scale.md", import.meta.url), "utf8"))?.[1];

/** The location of a new, empty database: in memory, or a schema of its own in the PostgreSQL database for the tests. */
export async function emptyDatabase(): Promise<string> {
  if (TEST_POSTGRES === "") {
    return ":memory:";
  }
  const location = await emptySchema();
  if (PARTITIONS !== undefined) {
    await (await openStore(location)).close();
    await runSql(location, PARTITIONS);
  }
  return location;
}

/** The location of a new schema in the PostgreSQL database for the tests, without tables even where rows are divided. */
export async function emptySchema(): Promise<string> {
  const schema = `test_${randomUUID().replaceAll("-", "")}`;
  await runSql(TEST_POSTGRES, `CREATE SCHEMA ${schema}`);
  const url = new URL(TEST_POSTGRES);
  url.searchParams.set("options", `-c search_path=${schema}`);
  return url.href;
}

/** The same, but several stores can be opened at the location: instead of memory, it is a file. */
export async function sharedDatabase(): Promise<string> {
  const location = await emptyDatabase();
  return location === ":memory:" ? join(await temporaryFolder(), "shared.db") : location;
}

/** Runs statements in a PostgreSQL database. */
export async function runSql(location: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client(location);
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Runs of a property over a database. One that is divided takes longer to make. */
export const DATABASE_RUNS = PARTITIONS === undefined ? 40 : 10;
