import type { Context } from "../../cli/context.ts";
import { openSyncedFolder, refuseFolderFirst } from "../../cli/source/synced-folder.ts";
import { screenOf } from "../../cli/terminal/screen.ts";
import type { Screen } from "../../cli/terminal/style.ts";
import { wrap } from "../../cli/terminal/wrap.ts";
import { writeChunks } from "../../cli/write-rows.ts";
import { UsageError } from "../../contract/errors.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { operand, quoteCommand } from "../../contract/values/quote-command.ts";
import { ownFileAt } from "../../files/own-file.ts";
import { readStream, readText } from "../../files/read-text.ts";
import { isSyncedFolder, readSyncedFolder, syncCommand } from "../../folder/folder-state.ts";
import { priceIndexPath } from "../../folder/index/update-index.ts";
import { withFolderSql } from "../../folder/sql/folder-session.ts";
import { QueryError, type SqlSession } from "../../folder/sql/sql-session.ts";
import type { SqlOptions } from "./options.ts";
import { writeQuery } from "./write-query.ts";

/** Maximum bytes of a query on stdin. */
const LONGEST_QUERY = 16 * 1024 * 1024;

const tooLongError = () => new UsageError("the query on stdin is longer than 16 MiB; write a shorter one.");

/** Runs the query; without one, shows what can be asked. */
export async function runSql(options: SqlOptions, context: Context): Promise<void> {
  const { query, folder } = options;
  const isFolder = query !== undefined && folder === undefined && (await isSyncedFolder(query));
  if (query !== undefined && !isFolder) {
    await refuseFolderFirst(options, [query], "catalog sql 'select count(*) from rows'");
  }
  const named = isFolder ? { ...options, folder: query } : options;
  using synced = await openSyncedFolder(named, context);
  if (synced.days.length === 0) {
    throw new UsageError(`${synced.folder} has no rows; \`${syncCommand(synced.folder)}\` fills it.`);
  }
  const { reporter, signal } = synced;
  const sql =
    query === "-"
      ? await readText(readStream(context.stdin, signal), { maxBytes: LONGEST_QUERY, tooLongError })
      : query;
  try {
    const { memory, tables } = options;
    // Standard input may have taken long, and a sync may have replaced days since the folder was opened.
    const state = query === "-" ? await readSyncedFolder(synced.folder) : synced.state;
    await withFolderSql({ ...synced, state, memory, tables, lastDay: dayOf(context.now()) }, async (session) => {
      if (sql === undefined || isFolder) {
        await writeChunks(
          [await overview(session, synced.folder, screenOf(context, options))],
          options.output,
          context,
        );
      } else {
        await writeQuery(sql, session, options, reporter, context);
      }
    });
  } catch (error) {
    throw error instanceof QueryError ? new UsageError(error.message) : error;
  }
}

/** The columns of all tables. */
const COLUMNS_QUERY = `SELECT table_name AS "table", column_name AS "column", data_type AS type
  FROM information_schema.columns WHERE table_catalog = 'temp' AND table_name NOT LIKE '% row'
  ORDER BY list_position(['rows', 'latest', 'prices_daily', 'changes', 'days', 'combinations'], table_name), ordinal_position`;

/** Queries to start from. */
const QUERIES = [
  "select retailer, count(*) as n from rows group by all order by n desc",
  "from changes where percent <= -15 order by crawl_date desc",
  "select brand, currency, median(selling_price) from latest group by all order by all",
];

const SHELL = "DuckDB's own shell, on the index of prices that `catalog latest` and the other questions keep:";

/** Cells of a line without a terminal. */
const WIDTH = 100;

/** The tables with their columns, queries to start from, and the line that opens the index in DuckDB's own shell. */
async function overview(session: SqlSession, folder: string, { width = WIDTH }: Screen): Promise<string> {
  const tables = new Map<string, string[]>();
  for await (const chunk of (await session.query(COLUMNS_QUERY)).rows) {
    for (const row of chunk) {
      const [table = "", column = ""] = row.map((text) => String(JSON.parse(text)));
      tables.set(table, [...(tables.get(table) ?? []), column]);
    }
  }
  const listed = [...tables].map(([table, columns]) => `${wrap(`${table}: ${columns.join(", ")}`, width)}\n`);
  const queries = QUERIES.map((query) => `  ${quoteCommand(["catalog", "sql", query, operand(folder)])}\n`);
  // If it cannot be stored, the index is in memory.
  const isStored = (await ownFileAt(priceIndexPath(folder))) !== undefined;
  const shell = quoteCommand(["duckdb", "-readonly", operand(priceIndexPath(folder))]);
  return `${listed.join("")}
To start from:
${queries.join("")}${isStored ? `\n${SHELL}\n  ${shell}\n` : ""}`;
}
