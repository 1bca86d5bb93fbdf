import { groupDigits } from "../contract/values/phrases.ts";
import { isStdout } from "../export/destination/stdout.ts";
import type { EncoderOptions } from "../export/formats/encoder.ts";
import type { RowFormat } from "../export/formats/registry.ts";
import { batchOf } from "../rows/scan.ts";
import type { Context } from "./context.ts";
import type { GlobalOptions } from "./flags/global.ts";
import { hasRowFormat, type ListingOptions, type OutputOptions, type TableFormat } from "./flags/output.ts";
import type { Reporter } from "./reporter.ts";
import { showTable } from "./terminal/pager.ts";
import { screenOf } from "./terminal/screen.ts";
import { recordTable } from "./terminal/tables/row-table.ts";
import { renderCaptioned, type Table } from "./terminal/tables/table.ts";
import { writeRows } from "./write-rows.ts";

/** Rows of a table on a terminal without `--limit`. Every other output has all. */
const SHOWN_ROWS = 1000;

/** How many rows an output may have without `--limit`. */
export function usualLimit(
  { format, output }: OutputOptions<string>,
  { stdout }: Pick<Context, "stdout">,
  shownRows = SHOWN_ROWS,
): number {
  const isOnTerminal = format === "table" && isStdout(output) && stdout.isTTY === true;
  return isOnTerminal ? shownRows : Number.POSITIVE_INFINITY;
}

/** Items of which one batch is in memory as rows. */
const AT_ONCE = 2_000;

/** The records of a list. */
interface RecordView<Item, Row extends object> extends Pick<EncoderOptions, "known" | "types"> {
  /** Members in the order of the columns. */
  recordOf: (item: Item) => Row;
}

/** How a list is written. */
interface ListView<Item, Row extends object> extends RecordView<Item, Row> {
  /** The table without chosen columns. */
  tableOf: (records: readonly Row[]) => Table;
  /** Headings of columns that become a caption if all rows have the same value. */
  captions: readonly string[];
}

type Listing = ListingOptions<TableFormat>;

/** The items that the output has: those of `--limit`, and without it all, or the first in a table on a terminal. */
export function listed<Item>(items: readonly Item[], { output, list }: Listing, context: Context): readonly Item[] {
  return items.slice(0, list.limit ?? usualLimit(output, context));
}

/** Writes those of all items that are `listed`, as rows, or as a table that says if there are more. */
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
    reporter.note(
      `the first ${groupDigits(items.length)} of ${groupDigits(all.length)}; -f ndjson or -o FILE has them all`,
    );
  }
}

/** Writes items as rows; one batch is in memory at a time. */
export async function writeRecords<Item>(
  items: readonly Item[],
  { recordOf, known, types }: RecordView<Item, object>,
  { output, columns }: { output: OutputOptions<RowFormat>; columns?: readonly string[] | undefined },
  reporter: Reporter,
  context: Context,
): Promise<void> {
  await writeRows(batches(items, recordOf, known), output, { known, chosen: columns, types }, reporter, context);
}

function* batches<Item>(items: readonly Item[], recordOf: (item: Item) => object, columns: readonly string[]) {
  for (let first = 0; first < items.length; first += AT_ONCE) {
    const texts = items.slice(first, first + AT_ONCE).map((item) => JSON.stringify(recordOf(item)));
    yield batchOf(texts, columns);
  }
}
