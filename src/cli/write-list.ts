import type { EncoderOptions } from "../export/formats/encoder.ts";
import type { Context } from "./context.ts";
import type { GlobalOptions } from "./flags/global.ts";
import { hasRowFormat, type ListingOptions, type TableFormat } from "./flags/output.ts";
import { limitNote, usualLimit } from "./list-limit.ts";
import { sortBy } from "./order.ts";
import type { Reporter } from "./reporter.ts";
import { showTable } from "./terminal/pager.ts";
import { screenOf } from "./terminal/screen.ts";
import { type ItemColumn, itemTable } from "./terminal/tables/item-table.ts";
import { recordTable } from "./terminal/tables/row-table.ts";
import { renderTable } from "./terminal/tables/table.ts";
import { writeRecords } from "./write-rows.ts";

interface ListView<Row extends object> {
  /** All columns of a record, in order. */
  known: readonly string[];
  /** Those that are not texts, for Parquet. */
  types?: EncoderOptions["types"];
  table: readonly ItemColumn<Row>[];
}

/** Sorts and limits records, and writes them as rows, or as a table with a note if there are more. */
export async function writeList<Row extends object>(
  all: readonly Row[],
  options: ListingOptions<TableFormat> & { globals: GlobalOptions },
  reporter: Reporter,
  context: Context,
  { known, types, table }: ListView<Row>,
): Promise<void> {
  const { output, list, columns } = options;
  const sorted = sortBy(all, list.sort, (record, column) => record[column as keyof Row]);
  const records = sorted.slice(0, list.limit ?? usualLimit(output, context));
  if (hasRowFormat(output)) {
    await writeRecords(records, output, { known, types, chosen: columns }, reporter, context);
    return;
  }
  const shown = columns === undefined ? itemTable(records, table) : recordTable(records, known, columns);
  await showTable(renderTable(shown, screenOf(context, options)), output, list, reporter, context);
  if (all.length > records.length) {
    reporter.note(limitNote(records.length, all.length, list.limit));
  }
}
