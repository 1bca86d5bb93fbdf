import type { Context } from "../context.ts";
import { type PullResult, pull, type RowSink } from "../export/pull.ts";
import type { Resumable } from "../export/resumable.ts";
import { createProgress } from "../output/progress.ts";
import type { Connection } from "./connection.ts";
import type { ExportOptions } from "./export-options.ts";

/** Pulls into the sink and shows how it goes. */
export async function pullWithProgress(
  sink: RowSink,
  options: ExportOptions,
  claim: Resumable | undefined,
  { client, reporter, signal }: Connection,
  context: Context,
): Promise<PullResult> {
  const { globals, filters, concurrency, maxRows } = options;
  const mode = globals.quiet ? "none" : globals.progress;
  const progress = await createProgress({ stream: context.stderr, mode, now: context.now });
  const state: Parameters<typeof progress.update>[0] = { rows: 0 };
  reporter.onWait = (reason, milliseconds) => {
    state.waiting = { reason, until: context.now() + milliseconds };
    progress.update(state);
  };
  reporter.onRate = ({ remaining }) => {
    state.requestsLeft = remaining;
  };
  try {
    return await pull(client, sink, {
      filters,
      pageSize: pageSizeOf(options),
      concurrency,
      maxRows,
      signal,
      resume: claim?.earlier,
      observer: {
        onPlan: async ({ totalRows }, slicePages) => {
          state.total = Math.min(totalRows, maxRows ?? totalRows);
          await claim?.planned(slicePages);
        },
        onRows: (rows) => {
          state.rows = rows;
          progress.update(state);
        },
        onRestart: (reason) => reporter.note(`reading a part of the set again: ${reason}`),
      },
    });
  } finally {
    progress.stop();
  }
}

/** Rows of one request: no more than are wanted. */
export function pageSizeOf({ pageSize, maxRows }: ExportOptions): number {
  return Math.min(pageSize, maxRows ?? pageSize);
}
