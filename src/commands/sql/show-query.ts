import type { Context } from "../../cli/context.ts";
import { limitNote, usualLimit } from "../../cli/list-limit.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { showTable } from "../../cli/terminal/pager.ts";
import { screenOf } from "../../cli/terminal/screen.ts";
import { jsonCell } from "../../cli/terminal/tables/cell.ts";
import { renderTable } from "../../cli/terminal/tables/table.ts";
import { plural } from "../../contract/values/phrases.ts";
import { uniqueNames } from "../../contract/values/unique-names.ts";
import { visible } from "../../contract/values/visible.ts";
import type { QueryResult } from "../../folder/sql/sql-session.ts";
import type { SqlOptions } from "./options.ts";

/** Rows that are counted after the first ones are shown; a query may be endless. */
const MAX_COUNTED = 100_000;

/** Shows the result of a query as a table: the first rows as soon as they are there, and then how many there are in all. */
export async function showQuery(
  result: QueryResult,
  options: Pick<SqlOptions, "output" | "pager" | "globals">,
  reporter: Reporter,
  context: Context,
): Promise<void> {
  const { output } = options;
  const limit = usualLimit(output, context);
  const first: (readonly string[])[] = [];
  let isShown = false;
  let count = 0;
  for await (const chunk of result.rows) {
    first.push(...chunk.slice(0, Math.max(0, limit - count)));
    count += chunk.length;
    if (count > limit && !isShown) {
      isShown = true;
      await showRows(first, result, options, reporter, context);
    }
    if (isShown && count > MAX_COUNTED) {
      break;
    }
  }
  if (!isShown) {
    await showRows(first, result, options, reporter, context);
  }
  const cut = limitNote(first.length, Math.min(count, MAX_COUNTED), undefined, count <= MAX_COUNTED);
  reporter.note(isShown ? cut : plural(count, "row"));
}

async function showRows(
  rows: readonly (readonly string[])[],
  { columns }: QueryResult,
  options: Pick<SqlOptions, "output" | "pager" | "globals">,
  reporter: Reporter,
  context: Context,
): Promise<void> {
  const names = uniqueNames(columns.map(({ name }) => name));
  // A name may be a crawled text: that of PIVOT, or of a header of --with.
  const headings = names.map((name) => ({ heading: visible(name) }));
  const table = { columns: headings, rows: rows.map((row) => row.map(jsonCell)) };
  const rendered = renderTable(table, screenOf(context, options));
  await showTable(rendered, options.output, options, reporter, context);
}
