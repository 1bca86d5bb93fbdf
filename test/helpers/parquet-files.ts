import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { PRODUCT_COLUMNS } from "../../src/contract/product.ts";
import type { Chunk, EncoderOptions, RowEncoder } from "../../src/export/formats/encoder.ts";
import { loadEncoder } from "../../src/export/formats/registry.ts";
import { fileGlob, sqlText } from "../../src/files/duckdb.ts";
import { EXACT_MACRO, exactQuery } from "../../src/files/duckdb-texts.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { temporaryFolder } from "./cli.ts";

const never = new AbortController().signal;

/** All bytes that an encoder makes of pages of rows, given as JSON texts. */
export async function bytesOf(
  encoder: RowEncoder,
  pages: readonly (readonly string[])[],
  columns?: readonly string[],
): Promise<Buffer> {
  try {
    const chunks: Chunk[] = [];
    for (const page of pages) {
      chunks.push(await encoder.encode(batchOf(page, columns)));
    }
    for await (const chunk of encoder.end()) {
      chunks.push(chunk);
    }
    return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
  } finally {
    await encoder.close?.();
  }
}

/** The bytes of a Parquet file of `pages`, of product rows unless told otherwise. */
export async function parquetOf(
  pages: readonly (readonly string[])[],
  options: Partial<EncoderOptions> = {},
): Promise<Buffer> {
  const createEncoder = await loadEncoder("parquet", never);
  const folder = await mkdtemp(join(tmpdir(), "catalog-test-"));
  try {
    const encoder = createEncoder({ known: PRODUCT_COLUMNS, ...options }, async () => join(folder, "scratch"));
    return await bytesOf(encoder, pages, options.known);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Does something with a DuckDB of its own. */
async function inDuckDb<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** A Parquet file as DuckDB writes the result of a query. @param options of COPY, such as `CODEC zstd` */
export async function parquetOfQuery(query: string, options: readonly string[] = []): Promise<Buffer> {
  const path = join(await temporaryFolder(), "written.parquet");
  const copy = `COPY (${query}) TO ${sqlText(path)} (${["FORMAT parquet", ...options].join(", ")})`;
  await inDuckDb((connection) => connection.run(copy));
  return await readFile(path);
}

/** Asks DuckDB about Parquet files, which stand in the query as FILE. Values are those of DuckDB's JSON. */
async function askEach(paths: readonly string[], query: string): Promise<Record<string, unknown>[][]> {
  return await inDuckDb(async (connection) => {
    await connection.run(EXACT_MACRO);
    const answers = [];
    for (const path of paths) {
      const sql = exactQuery(query.replaceAll("FILE", sqlText(fileGlob(path))));
      const result = await connection.runAndReadAll(sql);
      answers.push(result.getRowObjectsJson());
    }
    return answers;
  });
}

/** Asks DuckDB about one Parquet file. */
export async function askParquet(file: string | Uint8Array, query: string): Promise<Record<string, unknown>[]> {
  const path = typeof file === "string" ? file : join(await temporaryFolder(), "file.parquet");
  if (typeof file !== "string") {
    await writeFile(path, file);
  }
  return (await askEach([path], query)).flat();
}

const ALL_ROWS = "FROM read_parquet(FILE, hive_partitioning = false)";

/** The rows of a Parquet file; days are `YYYY-MM-DD`. */
export async function parquetRows(file: string | Uint8Array): Promise<Record<string, unknown>[]> {
  return await askParquet(file, ALL_ROWS);
}

/** The rows of each of these Parquet files. */
export async function rowsOfEach(paths: readonly string[]): Promise<Record<string, unknown>[][]> {
  return await askEach(paths, ALL_ROWS);
}

/** The names of the columns of a Parquet file. */
export async function parquetColumns(file: string | Uint8Array): Promise<unknown[]> {
  const described = await askParquet(file, "DESCRIBE FROM read_parquet(FILE, hive_partitioning = false)");
  return described.map(({ column_name }) => column_name);
}
