import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { PRODUCT_COLUMNS, type Product } from "../../src/contract/product.ts";
import { sqlText } from "../../src/files/duckdb.ts";
import { temporaryFolder } from "./cli.ts";

/** A Parquet file as DuckDB writes the result of a query. @param options of COPY, such as `CODEC zstd` */
export async function parquetOf(query: string, options: readonly string[] = []): Promise<Buffer> {
  const path = join(await temporaryFolder(), "written.parquet");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    await connection.run(`COPY (${query}) TO ${sqlText(path)} (${["FORMAT parquet", ...options].join(", ")})`);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
  return await readFile(path);
}

/** A query of product rows. @param expressions SQL of columns that are not texts and doubles as they are */
export function rowsQuery(rows: readonly Product[], expressions: Readonly<Record<string, string>> = {}): string {
  const tuples = rows.map((row) => `(${PRODUCT_COLUMNS.map((name) => literal(row[name])).join(", ")})`);
  const columns = PRODUCT_COLUMNS.map((name) => `${expressions[name] ?? name} AS ${name}`);
  return `SELECT ${columns.join(", ")} FROM (VALUES ${tuples.join(", ")}) AS rows(${PRODUCT_COLUMNS.join(", ")})`;
}

/** A NUL would end the statement. */
function literal(value: string | number | null): string {
  if (typeof value === "string") {
    return `(${value.split("\0").map(sqlText).join(" || chr(0) || ")})`;
  }
  return value === null ? "NULL::VARCHAR" : `'${value}'::DOUBLE`;
}
