import type { Context } from "../../cli/context.ts";
import { hasRowFormat } from "../../cli/flags/output.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { showTable } from "../../cli/terminal/pager.ts";
import { screenOf } from "../../cli/terminal/screen.ts";
import { jsonCell } from "../../cli/terminal/tables/cell.ts";
import { renderTable } from "../../cli/terminal/tables/table.ts";
import { usualLimit } from "../../cli/write-list.ts";
import { groupDigits, plural } from "../../contract/values/phrases.ts";
import { hasParts, type QueryResult, type SqlSession } from "../../folder/sql/sql-session.ts";
import type { SqlOptions } from "./options.ts";
import { uniqueNames, writeQuery } from "./write-query.ts";

/** Writes the result of a query in the format of the options. @throws QueryError */
export async function showQuery(
  sql: string,
  session: SqlSession,
  options: Pick<SqlOptions, "output" | "pager" | "globals">,
  reporter: Reporter,
  context: Context,
): Promise<void> {
  const { output } = options;
  if (hasRowFormat(output)) {
    await writeQuery(session, sql, output, reporter, context);
    return;
  }
  const result = await session.query(sql, hasParts);
  const names = uniqueNames(result);
  const { rows, more } = await firstRows(result, usualLimit(output, context));
  const table = { columns: names.map((heading) => ({ heading })), rows: rows.map((row) => row.map(jsonCell)) };
  const screen = screenOf(context, options);
  const rendered = renderTable(table, screen);
  await showTable(rendered, output, options, reporter, context);
  reporter.note(
    more ? `the first ${groupDigits(rows.length)} rows; -f ndjson or -o FILE has them all` : plural(rows.length, "row"),
  );
}

async function firstRows(
  { rows }: QueryResult,
  limit: number,
): Promise<{ rows: (readonly string[])[]; more: boolean }> {
  const first: (readonly string[])[] = [];
  for await (const chunk of rows) {
    first.push(...chunk);
    if (first.length > limit) {
      return { rows: first.slice(0, limit), more: true };
    }
  }
  return { rows: first, more: false };
}
