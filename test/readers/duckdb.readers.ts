import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";

async function query(sql: string): Promise<unknown[][]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  return (await connection.runAndReadAll(sql)).getRows();
}

/** What `catalog coverage` says of each retailer: its rows, first and last day. */
async function coverageByRetailer(): Promise<unknown[][]> {
  const { stdout } = await runCatalog(["coverage", "--demo", "--group-by", "retailer", "-f", "ndjson"]);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .map((group) => [group.retailer, group.matching_rows, group.earliest_date, group.latest_date]);
}

const PER_RETAILER = "SELECT retailer, count(*)::INT, min(crawl_date)::VARCHAR, max(crawl_date)::VARCHAR";

test("DuckDB reads every value of a Parquet file as NDJSON has it", async () => {
  const folder = await temporaryFolder();
  const rows = join(folder, "rows");
  await runCatalog(["export", "--demo", "-o", `${rows}.ndjson`]);
  await runCatalog(["export", "--demo", "-o", `${rows}.parquet`]);
  const types = { mrp: "DOUBLE", selling_price: "DOUBLE", discount_pct: "DOUBLE", crawl_date: "DATE" };
  const described = await query(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '${rows}.parquet')`);
  const columns = described.map(([name]) => `'${name}': '${types[name as "mrp"] ?? "VARCHAR"}'`).join(", ");
  const ndjson = `read_json('${rows}.ndjson', format = 'newline_delimited', columns = {${columns}})`;
  const [[missing, added, count] = []] = await query(`
    SELECT (SELECT count(*)::INT FROM (FROM ${ndjson} EXCEPT ALL FROM '${rows}.parquet')),
           (SELECT count(*)::INT FROM (FROM '${rows}.parquet' EXCEPT ALL FROM ${ndjson})),
           (SELECT count(*)::INT FROM '${rows}.parquet')`);
  expect([missing, added]).toEqual([0, 0]);
  expect(count).toBeGreaterThan(20_000);
  expect(Object.fromEntries(described as [string, string][])).toMatchObject(types);
});

test("DuckDB finds in the Hive partitions what coverage counts", async () => {
  const folder = await temporaryFolder();
  const parts = ["--partition-by", "retailer,crawl_date", "--format", "parquet", "--output", join(folder, "rows")];
  const { code, stderr } = await runCatalog(["export", "--demo", ...parts]);
  expect([code, stderr]).toEqual([0, ""]);
  const files = `'${folder}/rows/**/*.parquet'`;
  expect(await query(`${PER_RETAILER} FROM ${files} GROUP BY ALL ORDER BY retailer`)).toEqual(
    await coverageByRetailer(),
  );
});

test("DuckDB finds in a synced folder what coverage counts", async () => {
  const folder = await temporaryFolder();
  const { code } = await runCatalog(["sync", join(folder, "copy"), "--demo"]);
  expect(code).toBe(0);
  const files = `'${folder}/copy/**/*.parquet'`;
  expect(await query(`${PER_RETAILER} FROM ${files} GROUP BY ALL ORDER BY retailer`)).toEqual(
    await coverageByRetailer(),
  );
});
