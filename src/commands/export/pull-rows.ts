import type { Context } from "../../cli/context.ts";
import { rereadObserver, showProgress } from "../../cli/pull-progress.ts";
import type { Connection } from "../../cli/source/connection.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { UsageError } from "../../contract/errors.ts";
import { groupDigits } from "../../contract/values/phrases.ts";
import { ROWS_OF_SHEET } from "../../export/formats/xlsx/workbook-parts.ts";
import { type PullObserver, type PullResult, pull } from "../../pull/pull.ts";
import type { PageStore } from "../../pull/store/page-store.ts";
import type { RowBatch } from "../../rows/batch.ts";
import type { ExportOptions } from "./options.ts";
import { assertRoom, bytesNeeded } from "./room.ts";

/**
 * Pulls the set of an export through the store, writes its rows and shows the progress.
 *
 * @param target the file that needs room beside its store; undefined for stdout
 */
export async function pullRows(
  write: (rows: RowBatch) => Promise<void>,
  options: ExportOptions,
  { store, target }: { store: PageStore; target: string | undefined },
  { client, filters, reporter, signal }: Connection,
  context: Context,
  onCoverage?: PullObserver["onCoverage"],
): Promise<PullResult> {
  const { concurrency, maxRows, recheck } = options;
  using progress = showProgress(reporter, context, options);
  const result = await pull(client, store, {
    ...{ filters, concurrency, maxRows, recheck, write, signal, random: context.random },
    pageSize: pageSizeOf(options),
    isStreamed: target === undefined,
    observer: {
      onCoverage: async (coverage) => {
        assertFitsSheet(options, coverage);
        await onCoverage?.(coverage);
      },
      onPlan: async ({ totalRows, pages }, stored) => {
        const total = Math.min(totalRows, maxRows ?? totalRows);
        if (target !== undefined) {
          await assertRoom(target, bytesNeeded(total, options, stored));
        }
        progress.update({ total, stored, requests: totalRows === 0 ? 0 : Math.ceil((pages * total) / totalRows) });
      },
      onRows: (rows) => progress.update({ rows: Math.min(rows, maxRows ?? rows) }),
      ...rereadObserver(reporter),
    },
  });
  progress.done();
  return result;
}

/** Rows of one request, at most `--max-rows`. */
export function pageSizeOf({ pageSize, maxRows }: ExportOptions): number {
  return Math.min(pageSize, maxRows ?? pageSize);
}

/**
 * Refuses more rows than fit into a sheet of xlsx, before the first page is requested. The coverage does not count the rows
 * of single days, so the encoder refuses partitions by day later.
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
        `${what} ${groupDigits(rows)} rows, and a sheet of xlsx has at most ${groupDigits(ROWS_OF_SHEET)}; write csv or parquet, ${split}, or narrow the filters.`,
        { flag: "--format", value: "xlsx" },
      );
    }
  }
}
