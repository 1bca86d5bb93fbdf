import type { Context } from "../../cli/context.ts";
import { usualLimit } from "../../cli/list-limit.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { showTable } from "../../cli/terminal/pager.ts";
import { screenOf } from "../../cli/terminal/screen.ts";
import { jsonCell } from "../../cli/terminal/tables/cell.ts";
import { renderTable } from "../../cli/terminal/tables/table.ts";
import { groupDigits, plural } from "../../contract/values/phrases.ts";
import { uniqueNames } from "../../contract/values/unique-names.ts";
import type { QueryResult } from "../../folder/sql/sql-session.ts";
import type { SqlOptions } from "./options.ts";

/** Shows the result of a query as a table. */
export async function showQuery(
  result: QueryResult,
  options: Pick<SqlOptions, "output" | "pager" | "globals">,
  reporter: Reporter,
  context: Context,
): Promise<void> {
  const { output } = options;
  const names = uniqueNames(result.columns.map(({ name }) => name));
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
