import { randomUUID } from "node:crypto";
import pg from "pg";

/** A PostgreSQL database for the tests. Without it, they use the embedded engine. */
export const TEST_POSTGRES = process.env.CATALOG_TEST_DATABASE ?? "";

/** The location of a new, empty database: in memory, or a schema of its own in the PostgreSQL database for the tests. */
export async function emptyDatabase(): Promise<string> {
  if (TEST_POSTGRES === "") {
    return ":memory:";
  }
  const schema = `test_${randomUUID().replaceAll("-", "")}`;
  const client = new pg.Client(TEST_POSTGRES);
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}`);
  await client.end();
  const url = new URL(TEST_POSTGRES);
  url.searchParams.set("options", `-c search_path=${schema}`);
  return url.href;
}
