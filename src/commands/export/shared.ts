// What an export to a file and one to Hive folders share.
import type { Context } from "../../cli/context.ts";
import { flagError } from "../../cli/flags/values.ts";
import { rereadObserver, showProgress } from "../../cli/pull-progress.ts";
import { OWN_LIST_COLUMNS, typesOf } from "../../cli/question/question.ts";
import type { Reporter } from "../../cli/reporter.ts";
import type { Connection } from "../../cli/source/connection.ts";
import { VERSION } from "../../cli/version.ts";
import { lossWarnings } from "../../cli/write-rows.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { assertFolderNames } from "../../export/destination/partitions.ts";
import type { EncoderOptions } from "../../export/formats/encoder.ts";
import type { ExportRecord } from "../../export/manifest.ts";
import { assertDuckDbPath } from "../../files/duckdb.ts";
import { pull } from "../../pull/pull.ts";
import type { PullObserver, PullResult } from "../../pull/pull-options.ts";
import { FEW_PAGES, type StoreOptions } from "../../pull/store/open-store.ts";
import type { PageStore } from "../../pull/store/page-store.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { leftoverError } from "./leftover-error.ts";
import { type ExportOptions, OWN_ROW_COLUMNS, UNNOTICED } from "./options.ts";
import { assertFitsSheet, assertRoom, bytesNeeded } from "./room.ts";

/**
 * Pulls the set of an export through the store, writes its rows and shows the progress.
 *
 * @param target the file or folder that needs room beside its store; undefined for stdout
 */
export async function pullRows(
  write: (rows: RowBatch) => Promise<void>,
  options: ExportOptions,
  { store, target }: { store: PageStore; target: string | undefined },
  { client, filters, reporter, signal }: Connection,
  context: Context,
): Promise<PullResult> {
  const { concurrency, maxRows, recheck, partitionBy = [] } = options;
  if (options.output.format === "parquet" && target !== undefined) {
    assertDuckDbPath(target);
  }
  let ofEarlierRun: number | undefined;
  const observer: PullObserver = {
    onCoverage: (coverage) => {
      assertFitsSheet(options, coverage);
      assertFolderNames(partitionBy, coverage);
    },
    onPlan: async ({ totalRows, pages }, stored) => {
      const total = Math.min(totalRows, maxRows ?? totalRows);
      if (target !== undefined) {
        await assertRoom(target, bytesNeeded(total, options, { stored, isStdout: false }));
      }
      ofEarlierRun ??= stored;
      progress.update({
        total,
        stored: ofEarlierRun,
        requests: totalRows === 0 ? 0 : Math.ceil((pages * total) / totalRows),
      });
    },
    onRows: (rows) => progress.update({ rows: Math.min(rows, maxRows ?? rows) }),
    ...rereadObserver(reporter),
  };
  assertWantsPages(store.size(), options);
  using progress = showProgress(reporter, context, options);
  const result = await pull(client, store, {
    filters,
    concurrency,
    maxRows,
    recheck,
    write,
    signal,
    observer,
    random: context.random,
    pageSize: options.pageSize,
    isStreamed: target === undefined,
  });
  progress.done();
  return result;
}

/** Refuses a small export that would throw away what a larger one has read. @param pages of an interrupted run */
function assertWantsPages(pages: number, { maxRows, pageSize, concurrency }: ExportOptions): void {
  // An interrupted run with the same `maxRows` may have read a page too many with each walker.
  if (maxRows !== undefined && pages > Math.ceil(maxRows / pageSize) + concurrency + FEW_PAGES) {
    throw flagError(
      "--max-rows",
      `would throw away ${pages} pages of an interrupted run; leave it out to continue, or use --fresh instead of --resume.`,
    );
  }
}

/**
 * How the store of an export to a file or a folder is opened.
 *
 * @param pages the file of its pages, for messages; with `--error-format json` only the error is written
 */
export function storeOptions(
  options: ExportOptions,
  pages: string,
  { service, filters, reporter }: Connection,
  context: Context,
): Omit<StoreOptions, "lock"> {
  const { output = "" } = options.output;
  return {
    mode: options.storeMode,
    tool: VERSION,
    startedAt: new Date(context.now()).toISOString(),
    head: { service, filters, asked: options.filters },
    pageSize: options.pageSize,
    refuse: (leftover) => leftoverError(leftover, { argv: context.argv, output, service }),
    onNote: reporter.warn,
    onLeft: (lost) => {
      if (options.globals.errorFormat === "human") {
        reporter.warn(lost?.message ?? `${pages} keeps what was read; repeat the command with --resume to continue`);
      }
    },
  };
}

export function rowEncoding(
  { columns, spreadsheet, output, ownList }: ExportOptions,
  reporter: Reporter,
): EncoderOptions {
  const { format, links } = output;
  const rows =
    ownList === undefined ? { known: PRODUCT_COLUMNS } : { known: OWN_ROW_COLUMNS, types: typesOf(OWN_LIST_COLUMNS) };
  return { ...rows, chosen: columns, spreadsheet, links, onLoss: lossWarnings(format, reporter) };
}

/**
 * Follows an export from now on, for its manifest.
 *
 * @param asked the filters as written
 * @returns makes the record of the export, once its output is in place
 */
export function recordExport(
  asked: WrittenFilters,
  { service, filters, reporter }: Connection,
  context: Context,
): (result: PullResult, resumedFrom: string | undefined) => ExportRecord {
  const startedAt = new Date(context.now()).toISOString();
  const ids: string[] = [];
  reporter.listeners.add((event) => {
    if (event.type === "response" && event.requestId !== undefined) {
      ids.push(event.requestId);
    }
  });
  return (result, resumedFrom) => ({
    tool: { name: "retail-catalog-cli", version: VERSION, node: context.nodeVersion },
    service,
    asked,
    filters,
    resolved: result.resolved,
    rows: result.rows,
    complete: !result.truncated,
    coverage: result.summary,
    plan: { ...result.cuts, slices: result.slices },
    compared_pages: result.compared,
    unnoticed: UNNOTICED,
    requests: { ...reporter.requests(), ids },
    started_at: resumedFrom ?? startedAt,
    finished_at: new Date(context.now()).toISOString(),
    resumed: resumedFrom !== undefined,
  });
}
