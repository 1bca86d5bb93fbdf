import { withProgress } from "../../cli/pull-progress.ts";
import type { Connection } from "../../cli/source/connection.ts";
import type { Context } from "../../context.ts";
import type { Resumable } from "../../export/resume.ts";
import { type PullObserver, type PullResult, pull, type RowSink } from "../../pull/pull.ts";
import type { ExportOptions } from "./options.ts";
import { assertFitsSheet } from "./sheet-limit.ts";

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
