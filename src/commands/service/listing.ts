import type { GlobalOptions } from "../../cli/flags/global.ts";
import { notShown } from "../../cli/hidden-columns.ts";
import { createReporter } from "../../cli/reporter.ts";
import { isColoured, widthOf } from "../../cli/terminal.ts";
import type { Context } from "../../context.ts";
import { textCell } from "../../output/terminal/tables/cell.ts";
import { renderTable } from "../../output/terminal/tables/table.ts";

/** Writes records as JSON, or as a table with a row for each. */
export async function writeListing(
  {
    format,
    documents,
    columns,
    rows,
  }: {
    format: string | undefined;
    documents: unknown;
    columns: readonly string[];
    rows: readonly (readonly string[])[];
  },
  globals: GlobalOptions,
  context: Context,
): Promise<void> {
  if (format === "json") {
    await context.print(`${JSON.stringify(documents, undefined, 2)}\n`);
    return;
  }
  const { text, hidden } = renderTable(
    { columns: columns.map((heading) => ({ heading })), rows: rows.map((row) => row.map((value) => textCell(value))) },
    { width: widthOf(context.stdout), colour: isColoured(context.stdout, globals.color, context.env) },
  );
  await context.print(text);
  notShown(hidden, "-f json has them all").forEach(createReporter(globals, context).note);
}
