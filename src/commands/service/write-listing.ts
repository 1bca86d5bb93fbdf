import type { ListingOptions } from "../../cli/flags/output.ts";
import { sortBy } from "../../cli/order.ts";
import type { Table } from "../../cli/terminal/tables/table.ts";
import { writeList } from "../../cli/write-list.ts";
import type { ServiceCall } from "./subcommand.ts";

/** Writes records as rows, or as a table. */
export async function writeListing<Row extends object>(
  { options, reporter, context }: ServiceCall<ListingOptions>,
  records: readonly Row[],
  columns: readonly string[],
  tableOf: (records: readonly Row[]) => Table,
): Promise<void> {
  const sorted = sortBy(
    records,
    options.list.sort,
    (record, column) => Object.entries(record).find(([name]) => name === column)?.[1],
  );
  const view = { known: columns, recordOf: (record: Row) => record, tableOf, captions: [] };
  await writeList(sorted, view, options, reporter, context);
}
