import type { Coverage } from "../../contract/coverage.ts";
import { groupDigits } from "../../contract/values/decimal.ts";
import { UsageError } from "../../errors.ts";
import { ROWS_OF_SHEET } from "../../output/formats/xlsx/workbook-parts.ts";
import type { ExportOptions } from "./options.ts";

/**
 * Refuses rows that no sheet of xlsx can hold, before the first page is requested. A partition by day is not known from the
 * coverage; the encoder refuses it later.
 *
 * @throws UsageError
 */
export function assertFitsSheet(
  { output, partitionBy = [], maxRows = Number.POSITIVE_INFINITY }: ExportOptions,
  coverage: readonly Coverage[],
): void {
  if (output.format !== "xlsx" || partitionBy.includes("crawl_date")) {
    return;
  }
  const sheets = new Map<string, number>();
  for (const entry of coverage) {
    const partition = partitionBy.map((column) => entry[column as keyof Coverage]).join("/");
    sheets.set(partition, (sheets.get(partition) ?? 0) + entry.matching_rows);
  }
  for (const [partition, rows] of sheets) {
    if (Math.min(rows, maxRows) > ROWS_OF_SHEET) {
      const what = partition === "" ? "the filters match" : `the partition ${partition} has`;
      const split = partition === "" ? "split the rows with --partition-by" : "partition by more columns";
      throw new UsageError(
        `${what} ${groupDigits(rows)} rows, and a sheet of xlsx holds ${groupDigits(ROWS_OF_SHEET)}; write csv or parquet, ${split}, or narrow the filters.`,
        { flag: "--format", value: "xlsx" },
      );
    }
  }
}
