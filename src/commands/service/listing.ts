import { notShown, screenOf } from "../../cli/terminal.ts";
import { textCell } from "../../output/terminal/tables/cell.ts";
import { renderTable } from "../../output/terminal/tables/table.ts";
import type { Call, ListingFlags } from "./subcommand.ts";

/** The same records as JSON documents and as rows of a table. */
interface Listing {
  documents: unknown;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

export async function writeListing(
  { flags, globals, reporter, context }: Call<ListingFlags>,
  { documents, columns, rows }: Listing,
): Promise<void> {
  if (flags.format === "json") {
    await context.print(`${JSON.stringify(documents, undefined, 2)}\n`);
    return;
  }
  const { text, hidden } = renderTable(
    { columns: columns.map((heading) => ({ heading })), rows: rows.map((row) => row.map(textCell)) },
    screenOf(context, { globals }),
  );
  await context.print(text);
  notShown(hidden, "-f json has them all").forEach(reporter.note);
}
