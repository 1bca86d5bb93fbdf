import { createReadStream } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasRowFormat } from "../../cli/flags/output.ts";
import { quoted } from "../../cli/flags/values.ts";
import { showTable } from "../../cli/pager.ts";
import { type SyncedFolder, withSyncedFolder } from "../../cli/source/synced-folder.ts";
import { readStdinText } from "../../cli/stdin.ts";
import { screenOf } from "../../cli/terminal.ts";
import { writeChunks, writeRows } from "../../cli/write-rows.ts";
import type { Context } from "../../context.ts";
import { counted, groupDigits } from "../../contract/values/decimal.ts";
import { UsageError } from "../../errors.ts";
import { placeOfDay } from "../../mirror/folder/day-files.ts";
import { isSyncedFolder } from "../../mirror/folder/folder-state.ts";
import { openDay } from "../../mirror/folder/synced-day.ts";
import { type CellKinds, PRODUCT_KINDS } from "../../output/formats/xlsx/cell-kinds.ts";
import { jsonCell } from "../../output/terminal/tables/cell.ts";
import { renderTable } from "../../output/terminal/tables/table.ts";
import { batchOf } from "../../rows/scan.ts";
import { openSqlSession, type QueryResult, type SqlSession } from "./duckdb.ts";
import { SCHEMA, type SqlOptions } from "./options.ts";
import { pathPattern, tableStatements } from "./tables.ts";

/** Most rows of a table; every other format has all rows. */
const SHOWN = 1000;

/** Most bytes of a query on stdin. */
const LONGEST_QUERY = 16 * 1024 * 1024;

const tooLong = () => new UsageError("the query on stdin is longer than 16 MiB; write a shorter one.");

/** What `.schema` shows. */
const SCHEMA_QUERY = `SELECT table_name AS "table", column_name AS "column", data_type AS type
FROM information_schema.columns WHERE table_schema = 'main'
ORDER BY list_position(['rows', 'latest', 'prices_daily', 'changes', 'days', 'combinations'], table_name), ordinal_position`;

/** Types of DuckDB that are dates in a sheet; one with a time zone is not. */
const KIND_OF_TYPE: CellKinds = {
  DATE: "date",
  TIMESTAMP: "timestamp",
  TIMESTAMP_S: "timestamp",
  TIMESTAMP_MS: "timestamp",
  TIMESTAMP_NS: "timestamp",
};

export async function runSql(options: SqlOptions, context: Context): Promise<void> {
  if (options.folder === undefined && (await isSyncedFolder(options.query))) {
    throw new UsageError(
      `a query is missing: ${quoted(options.query)} is a folder. Write the query before it, as in 'select count(*) from rows'.`,
    );
  }
  await withSyncedFolder(options, context, async (synced) => {
    const query =
      options.query === "-" ? await readStdinText(context, synced.signal, LONGEST_QUERY, tooLong) : options.query;
    const scratch = await mkdtemp(join(await realpath(tmpdir()), "catalog-sql-"));
    try {
      const session = await openFolderSession(synced, scratch, options.memory);
      try {
        await writeQueryResult(query === SCHEMA ? SCHEMA_QUERY : query, session, scratch, synced, options, context);
      } finally {
        session.close();
      }
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
}

/** Where a Parquet file is written before it is handed on. */
const resultFileIn = (scratch: string) => join(scratch, "result.parquet");

async function openFolderSession({ folder, state, days, signal }: SyncedFolder, scratch: string, memory: number) {
  if (days.length === 0) {
    throw new UsageError(`${folder} holds no rows; \`catalog sync\` fills it.`);
  }
  // DuckDB takes flipped bits for values, so each file is compared with the state first.
  for (const day of days) {
    signal.throwIfAborted();
    await (await openDay(folder, day, state))?.close();
  }
  const root = await realpath(folder);
  const paths = days.map((day) => join(root, placeOfDay(day)));
  const patterns = paths.map(pathPattern);
  return await openSqlSession({
    setUp: tableStatements(patterns),
    // DuckDB compares each of the two with its allowed paths.
    files: [...new Set([...patterns, ...paths])],
    resultFile: resultFileIn(scratch),
    spillFolder: scratch,
    memory,
    signal,
  });
}

async function writeQueryResult(
  query: string,
  session: SqlSession,
  scratch: string,
  { reporter }: SyncedFolder,
  options: SqlOptions,
  context: Context,
): Promise<void> {
  const { output } = options;
  if (output.format === "parquet") {
    await session.writeParquet(query);
    await writeChunks(createReadStream(resultFileIn(scratch)), output, context);
    return;
  }
  const result = await session.query(query);
  const names = uniqueNames(result);
  if (hasRowFormat(output)) {
    const encoding = { known: names, kinds: cellKindsOf(result, names) };
    await writeRows(rowBatches(result, names), output, encoding, reporter, context);
    return;
  }
  const { rows, more } = await firstRows(result);
  const table = { columns: names.map((heading) => ({ heading })), rows: rows.map((row) => row.map(jsonCell)) };
  await showTable(renderTable(table, screenOf(context, options)), output, options, reporter, context);
  reporter.note(
    more
      ? `the first ${groupDigits(rows.length)} rows; -f ndjson or -o FILE has them all`
      : counted(rows.length, "row"),
  );
}

/** Makes column names unique by numbering repeated ones. */
function uniqueNames({ columns }: QueryResult): string[] {
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

/** What the columns are in a sheet, by their types, and links and percentages by the names of product columns. */
function cellKindsOf({ columns }: QueryResult, names: readonly string[]): CellKinds {
  const kinds = columns.map(({ type }, index) => {
    const named = PRODUCT_KINDS[names[index] ?? ""];
    return KIND_OF_TYPE[type] ?? (named === "percent" || (named === "link" && type === "VARCHAR") ? named : undefined);
  });
  return Object.fromEntries(names.flatMap((name, index) => (kinds[index] ? [[name, kinds[index]]] : [])));
}

async function* rowBatches({ rows }: QueryResult, names: readonly string[]) {
  const keys = names.map((name) => JSON.stringify(name));
  for await (const chunk of rows) {
    const texts = chunk.map((row) => `{${row.map((value, index) => `${keys[index]}:${value}`).join(",")}}`);
    yield batchOf(texts, names);
  }
}

async function firstRows({ rows }: QueryResult): Promise<{ rows: (readonly string[])[]; more: boolean }> {
  const first: (readonly string[])[] = [];
  for await (const chunk of rows) {
    first.push(...chunk);
    if (first.length > SHOWN) {
      return { rows: first.slice(0, SHOWN), more: true };
    }
  }
  return { rows: first, more: false };
}
