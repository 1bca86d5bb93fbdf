import { readCsvRecords } from "../../files/csv-records.ts";
import { type DuckDb, fileGlob, openDuckDb, sqlText } from "../../files/duckdb.ts";
import { readFileChunks } from "../../files/read-text.ts";
import { openContent } from "../../files/source-content.ts";
import { readLines } from "../../files/utf8-lines.ts";
import { PARQUET_MEMORY } from "./parquet.ts";
import type { RowFormat } from "./registry.ts";

/** The columns of a Parquet, CSV or TSV file; undefined for other formats, and for an empty file. */
export async function columnsOfFile(
  path: string,
  format: RowFormat,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (format === "parquet") {
    await using duckDb = await openDuckDb({ threads: 1, memory: PARQUET_MEMORY, signal });
    return await columnsOfParquet(path, duckDb);
  }
  if (format === "csv" || format === "tsv") {
    const { chunks } = await openContent(readFileChunks(path, signal));
    for await (const { records } of readCsvRecords(readLines(chunks))) {
      return records[0]?.fields.map(String);
    }
  }
  return undefined;
}

export async function columnsOfParquet(path: string, { until }: DuckDb): Promise<readonly string[]> {
  const query = `DESCRIBE FROM read_parquet(${sqlText(fileGlob(path))}, hive_partitioning = false)`;
  const described = await until((connection) => connection.runAndReadAll(query));
  return described.getRowsJson().map(([name]) => String(name));
}
