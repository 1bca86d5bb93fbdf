import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";

async function query(sql: string): Promise<unknown[][]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  return (await connection.runAndReadAll(sql)).getRows();
}

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
  expect({ missing, added }).toEqual({ missing: 0, added: 0 });
  expect(count).toBeGreaterThan(20_000);
  expect(Object.fromEntries(described as [string, string][])).toMatchObject(types);
});
