import { groupDigits } from "../contract/values/phrases.ts";
import { isStdout } from "../export/destination/stdout.ts";
import type { Context } from "./context.ts";
import type { GlobalOptions } from "./flags/global.ts";
import { hasRowFormat, type ListingOptions, type OutputOptions, type TableFormat } from "./flags/output.ts";
import type { Reporter } from "./reporter.ts";
import { showTable } from "./terminal/pager.ts";
import { screenOf } from "./terminal/screen.ts";
import { recordTable } from "./terminal/tables/row-table.ts";
import { renderCaptioned, type Table } from "./terminal/tables/table.ts";
import { type RecordView, writeRecords } from "./write-rows.ts";

/** The default limit of a table on a terminal. Every other output has all rows. */
const SHOWN_ROWS = 1000;

/** The limit without `--limit`. */
export function usualLimit(
  { format, output }: OutputOptions<string>,
  { stdout }: Pick<Context, "stdout">,
  shownRows = SHOWN_ROWS,
): number {
  const isOnTerminal = format === "table" && isStdout(output) && stdout.isTTY === true;
  return isOnTerminal ? shownRows : Number.POSITIVE_INFINITY;
}

interface ListView<Item, Row extends object> extends RecordView<Item, Row> {
  /** Makes the table if no columns are chosen. */
  tableOf: (records: readonly Row[]) => Table;
  /** Headings of columns that move to a caption if all rows have the same value. */
  captions: readonly string[];
}

/** What is said of a table that has only the first of all rows. */
export function limitNote(shown: number, all: number): string {
  return `the first ${groupDigits(shown)} of ${groupDigits(all)}; -f ndjson or -o FILE has them all`;
}

type Listing = ListingOptions<TableFormat>;

/** The items to write, within the limit. */
export function listed<Item>(items: readonly Item[], { output, list }: Listing, context: Context): readonly Item[] {
  return items.slice(0, list.limit ?? usualLimit(output, context));
}

/** Writes the `listed` items as rows, or as a table with a note if there are more. */
export async function writeList<Item, Row extends object>(
  all: readonly Item[],
  view: ListView<Item, Row>,
  options: Listing & { globals: GlobalOptions },
  reporter: Reporter,
  context: Context,
): Promise<void> {
  const { output, list, columns } = options;
  const items = listed(all, options, context);
  if (hasRowFormat(output)) {
    await writeRecords(items, view, { output, columns }, reporter, context);
    return;
  }
  const records = items.map(view.recordOf);
  const table = columns === undefined ? view.tableOf(records) : recordTable(records, view.known, columns);
  await showTable(renderCaptioned(table, view.captions, screenOf(context, options)), output, list, reporter, context);
  if (all.length > items.length) {
    reporter.note(limitNote(items.length, all.length));
  }
}
