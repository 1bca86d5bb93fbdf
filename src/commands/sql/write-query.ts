import { createReadStream } from "node:fs";
import type { Context } from "../../cli/context.ts";
import { hasRowFormat, type OutputOptions } from "../../cli/flags/output.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { writeChunks, writeRows } from "../../cli/write-rows.ts";
import { uniqueNames } from "../../contract/values/unique-names.ts";
import type { CellKinds } from "../../export/formats/encoder.ts";
import type { RowFormat } from "../../export/formats/registry.ts";
import { hasParts, type QueryResult, type SqlSession } from "../../folder/sql/sql-session.ts";
import { batchOf } from "../../rows/scan.ts";
import type { SqlOptions } from "./options.ts";

/** Writes the result of a query in the format of the options. @throws QueryError */
export async function writeQuery(
  sql: string,
  session: SqlSession,
  options: Pick<SqlOptions, "output" | "pager" | "globals">,
  reporter: Reporter,
  context: Context,
): Promise<void> {
  const { output } = options;
  if (hasRowFormat(output)) {
    await writeRowsOf(session, sql, output, reporter, context);
    return;
  }
  const { showQuery } = await import("./show-query.ts");
  await showQuery(await session.query(sql, hasParts), options, reporter, context);
}

/** Formats whose values may have parts; in others these are texts. */
const HAVE_PARTS: readonly RowFormat[] = ["json", "ndjson"];

/** Writes the rows of a query for programs. Parquet keeps DuckDB's types. */
async function writeRowsOf(
  session: SqlSession,
  sql: string,
  output: OutputOptions<RowFormat>,
  reporter: Reporter,
  context: Context,
): Promise<void> {
  if (output.format === "parquet") {
    await writeChunks(createReadStream(await session.writeParquet(sql)), output, context);
    return;
  }
  const result = await session.query(sql, HAVE_PARTS.includes(output.format) ? undefined : hasParts);
  const names = uniqueNames(result.columns.map(({ name }) => name));
  const encoding = { known: names, kinds: cellKindsOf(result, names) };
  await writeRows(rowBatches(result.rows, names), output, encoding, reporter, context);
}

/** Turns chunks of rows, each row the JSON texts of its values, into batches. */
async function* rowBatches(chunks: AsyncIterable<readonly (readonly string[])[]>, columns: readonly string[]) {
  const keys = columns.map((name) => JSON.stringify(name));
  for await (const chunk of chunks) {
    const texts = chunk.map((row) => `{${row.map((value, index) => `${keys[index]}:${value}`).join(",")}}`);
    yield batchOf(texts, columns);
  }
}

/** DuckDB types that are dates in a sheet; those with a time zone are not. */
const KIND_OF_TYPE: CellKinds = {
  DATE: "date",
  TIMESTAMP: "timestamp",
  TIMESTAMP_S: "timestamp",
  TIMESTAMP_MS: "timestamp",
  TIMESTAMP_NS: "timestamp",
};

function cellKindsOf({ columns }: QueryResult, names: readonly string[]): CellKinds {
  const kinds = columns.map(({ type }) => KIND_OF_TYPE[type]);
  return Object.fromEntries(names.flatMap((name, index) => (kinds[index] ? [[name, kinds[index]]] : [])));
}
