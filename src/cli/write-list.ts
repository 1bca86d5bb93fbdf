import type { Context } from "../context.ts";
import type { EncoderOptions } from "../output/formats/encoder.ts";
import type { RowFormat } from "../output/formats/registry.ts";
import { groupDigits } from "../output/terminal/counted.ts";
import { renderCaptioned, type Table } from "../output/terminal/tables/table.ts";
import { batchOf } from "../rows/scan.ts";
import type { GlobalOptions } from "./flags/global.ts";
import type { ListOptions } from "./flags/list.ts";
import { hasRowFormat, type OutputOptions } from "./flags/output.ts";
import { showTable } from "./pager.ts";
import type { Reporter } from "./reporter.ts";
import { screenOf } from "./terminal.ts";
import { writeRows } from "./write-rows.ts";

/** Most rows of a table without `--limit`; every other format has all. */
export const SHOWN_ROWS = 1000;

/** Items of which one batch is in memory as rows. */
const AT_ONCE = 2_000;

interface OutputFlags {
  output: OutputOptions<"table" | RowFormat>;
  list: ListOptions;
}

/** How a list is written. */
export interface ListView<Item, Row extends object> {
  /** Members in the order of the columns. */
  recordOf: (item: Item) => Row;
  encoding: EncoderOptions;
  tableOf: (records: readonly Row[]) => Table;
  /** Headings of columns that become a caption if all rows have the same value. */
  captions: readonly string[];
}

/** The items that the output has: those of `--limit`, and without it all, or the first of a table. */
export function listed<Item>(items: readonly Item[], { output, list }: OutputFlags): readonly Item[] {
  return items.slice(0, list.limit ?? (hasRowFormat(output) ? items.length : SHOWN_ROWS));
}

/** Writes items as rows, or as a table that says if there are more. @param all number of items without a limit */
export async function writeList<Item, Row extends object>(
  items: readonly Item[],
  all: number,
  { recordOf, encoding, tableOf, captions }: ListView<Item, Row>,
  options: OutputFlags & { globals: GlobalOptions },
  reporter: Reporter,
  context: Context,
): Promise<void> {
  const { output, list } = options;
  if (hasRowFormat(output)) {
    await writeRows(batches(items, recordOf, encoding.known), output, encoding, reporter, context);
    return;
  }
  const table = renderCaptioned(tableOf(items.map(recordOf)), captions, screenOf(context, options));
  await showTable(table, output, list, reporter, context);
  if (all > items.length) {
    reporter.note(`the first ${groupDigits(items.length)}; -f ndjson or -o FILE has them all`);
  }
}

function* batches<Item>(items: readonly Item[], recordOf: (item: Item) => object, columns: readonly string[]) {
  for (let first = 0; first < items.length; first += AT_ONCE) {
    const texts = items.slice(first, first + AT_ONCE).map((item) => JSON.stringify(recordOf(item)));
    yield batchOf(texts, columns);
  }
}
