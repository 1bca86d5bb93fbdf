import { createReadStream } from "node:fs";
import type { Context } from "../../cli/context.ts";
import type { OutputOptions } from "../../cli/flags/output.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { rowBatches, writeChunks, writeRows } from "../../cli/write-rows.ts";
import type { CellKinds } from "../../export/formats/encoder.ts";
import type { RowFormat } from "../../export/formats/registry.ts";
import { hasParts, type QueryResult, type SqlSession } from "../../folder/sql/sql-session.ts";

/** Formats whose values may have parts; in others these are texts. */
const HAVE_PARTS: readonly RowFormat[] = ["json", "ndjson"];

/** Writes the rows of a query. Parquet keeps DuckDB's types. */
export async function writeQuery(
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
  const names = uniqueNames(result);
  const encoding = { known: names, kinds: cellKindsOf(result, names) };
  await writeRows(rowBatches(result.rows, names), output, encoding, reporter, context);
}

/** DuckDB types that are dates in a sheet; those with a time zone are not. */
const KIND_OF_TYPE: CellKinds = {
  DATE: "date",
  TIMESTAMP: "timestamp",
  TIMESTAMP_S: "timestamp",
  TIMESTAMP_MS: "timestamp",
  TIMESTAMP_NS: "timestamp",
};

/** Columns of product rows with a meaning beyond their type. */
const KIND_OF_NAME: CellKinds = { url: "link", image_url: "link", discount_pct: "percent" };

/** The column names, with numbers appended to repeated ones. */
export function uniqueNames({ columns }: QueryResult): string[] {
  const used = new Set<string>();
  return columns.map(({ name }) => {
    let unique = name;
    for (let number = 1; used.has(unique); number += 1) {
      unique = `${name}_${number}`;
    }
    used.add(unique);
    return unique;
  });
}

function cellKindsOf({ columns }: QueryResult, names: readonly string[]): CellKinds {
  const kinds = columns.map(({ type }, index) => {
    const name = names[index];
    const named = name === undefined ? undefined : KIND_OF_NAME[name];
    return KIND_OF_TYPE[type] ?? (named === "percent" || (named === "link" && type === "VARCHAR") ? named : undefined);
  });
  return Object.fromEntries(names.flatMap((name, index) => (kinds[index] ? [[name, kinds[index]]] : [])));
}
