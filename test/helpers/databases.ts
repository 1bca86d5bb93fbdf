import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { temporaryFolder } from "./cli.ts";
import { divideRows, runSql, TEST_SHARDS } from "./shards.ts";

/** A PostgreSQL database for the tests. Without it, they use the embedded engine. */
export const TEST_POSTGRES = process.env.CATALOG_TEST_DATABASE ?? "";

/**
 * The location of a new, empty database: in memory, or a schema of its own in the PostgreSQL database for the tests. With
 * further servers, its rows are divided among them.
 */
export async function emptyDatabase(): Promise<string> {
  const location = await emptySchema();
  if (TEST_SHARDS.length > 0) {
    await divideRows(location);
  }
  return location;
}

/** The same, but several stores can be opened at the location: instead of memory, it is a file. */
export async function sharedDatabase(): Promise<string> {
  const location = await emptyDatabase();
  return location === ":memory:" ? join(await temporaryFolder(), "shared.db") : location;
}

/** The same, with all rows on the first server. */
export async function emptySchema(): Promise<string> {
  if (TEST_POSTGRES === "") {
    return ":memory:";
  }
  const schema = `test_${randomUUID().replaceAll("-", "")}`;
  await Promise.all([TEST_POSTGRES, ...TEST_SHARDS].map((server) => runSql(server, `CREATE SCHEMA ${schema}`)));
  const url = new URL(TEST_POSTGRES);
  url.searchParams.set("options", `-c search_path=${schema}`);
  return url.href;
}

/** Runs of a property over a database. With further servers, each takes about four times as long. */
export const DATABASE_RUNS = TEST_SHARDS.length > 0 ? 10 : 40;
