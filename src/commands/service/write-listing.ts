import { notShown, screenOf } from "../../cli/terminal/screen.ts";
import { renderTable, type Table } from "../../cli/terminal/tables/table.ts";
import type { RecordListOptions, ServiceCall } from "./subcommand.ts";

/** Writes records as JSON documents or as a table. */
export async function writeListing(
  { options, reporter, context }: ServiceCall<RecordListOptions>,
  documents: unknown,
  table: Table,
): Promise<void> {
  if (options.format === "json") {
    await context.print(`${JSON.stringify(documents, undefined, 2)}\n`);
    return;
  }
  const { text, hidden } = renderTable(table, screenOf(context, options));
  await context.print(text);
  notShown(hidden, "-f json has them all").forEach(reporter.note);
}
