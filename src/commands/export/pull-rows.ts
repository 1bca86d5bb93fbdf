import type { Context } from "../../cli/context.ts";
import { rereadObserver, showProgress } from "../../cli/pull-progress.ts";
import { OWN_LIST_COLUMNS, typesOf } from "../../cli/question/question.ts";
import type { Reporter } from "../../cli/reporter.ts";
import type { Connection } from "../../cli/source/connection.ts";
import { lossWarnings } from "../../cli/write-rows.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import type { EncoderOptions } from "../../export/formats/encoder.ts";
import { assertDuckDbPath } from "../../files/duckdb.ts";
import { pull } from "../../pull/pull.ts";
import type { PullObserver, PullResult } from "../../pull/pull-options.ts";
import type { PageStore } from "../../pull/store/page-store.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { type ExportOptions, OWN_ROW_COLUMNS } from "./options.ts";
import { assertRepresentable, assertRoom, bytesNeeded } from "./room.ts";
import { refuseDiscarding } from "./store-options.ts";

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
  const { concurrency, maxRows, recheck } = options;
  if (options.output.format === "parquet" && target !== undefined) {
    assertDuckDbPath(target);
  }
  let ofEarlierRun: number | undefined;
  const observer: PullObserver = {
    onCoverage: (coverage) => assertRepresentable(options, coverage),
    onPlan: async ({ totalRows, pages }, stored) => {
      const total = Math.min(totalRows, maxRows ?? totalRows);
      if (target !== undefined) {
        await assertRoom(target, options, bytesNeeded(total, options, { stored, isStdout: false }));
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
  refuseDiscarding(store, options);
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

export function rowEncoding(
  { columns, spreadsheet, output, ownList }: ExportOptions,
  reporter: Reporter,
): EncoderOptions {
  const { format, links } = output;
  const rows =
    ownList === undefined ? { known: PRODUCT_COLUMNS } : { known: OWN_ROW_COLUMNS, types: typesOf(OWN_LIST_COLUMNS) };
  return { ...rows, chosen: columns, spreadsheet, links, onLoss: lossWarnings(format, reporter) };
}
