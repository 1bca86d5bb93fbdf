import { withProgress } from "../../cli/pull-progress.ts";
import type { Connection } from "../../cli/source/connection.ts";
import type { Context } from "../../context.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { groupDigits } from "../../contract/values/decimal.ts";
import { UsageError } from "../../errors.ts";
import type { Resumable } from "../../export/resume.ts";
import { FORMATS } from "../../output/formats/registry.ts";
import { ROWS_OF_SHEET } from "../../output/formats/xlsx/workbook-parts.ts";
import { type PullObserver, type PullResult, pull, type RowSink } from "../../pull/pull.ts";
import type { ExportOptions } from "./options.ts";

/** Pulls into the sink and shows the progress. */
export async function pullWithProgress(
  sink: RowSink,
  options: ExportOptions,
  claim: Resumable | undefined,
  { client, filters, reporter, signal }: Connection,
  context: Context,
  onCoverage?: PullObserver["onCoverage"],
): Promise<PullResult> {
  const { concurrency, maxRows, spoolLimit } = options;
  return await withProgress(reporter, context, options, (update) =>
    pull(client, sink, {
      filters,
      pageSize: pageSizeOf(options),
      concurrency,
      maxRows,
      signal,
      lookAhead: claim?.lookAhead,
      keepPages: claim !== undefined && FORMATS[options.output.format].startsOver,
      spoolLimit,
      resume: claim?.earlier,
      observer: {
        onCoverage: (coverage) => {
          assertFitsSheet(options, coverage);
          onCoverage?.(coverage);
        },
        onPlan: async ({ totalRows, requests }, slicePages) => {
          const total = Math.min(totalRows, maxRows ?? totalRows);
          update({ total, requests: totalRows === 0 ? 0 : Math.ceil((requests * total) / totalRows) });
          await claim?.planned(slicePages);
        },
        onRows: (rows) => update({ rows }),
        onRestart: (reason) => reporter.note(`reading a part of the set again: ${reason}`),
      },
    }),
  );
}

/** Rows of one request, at most as many as are wanted. */
export function pageSizeOf({ pageSize, maxRows }: ExportOptions): number {
  return Math.min(pageSize, maxRows ?? pageSize);
}

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
