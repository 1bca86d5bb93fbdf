import type { Context } from "../context.ts";
import { type PullResult, pull, type RowSink } from "../export/pull.ts";
import type { Resumable } from "../export/resumable.ts";
import type { Connection } from "./connection.ts";
import type { ExportOptions } from "./export-options.ts";
import { withProgress } from "./pull-progress.ts";

/** Pulls into the sink and shows how it goes. */
export async function pullWithProgress(
  sink: RowSink,
  options: ExportOptions,
  claim: Resumable | undefined,
  { client, reporter, signal }: Connection,
  context: Context,
): Promise<PullResult> {
  const { globals, filters, concurrency, maxRows } = options;
  return await withProgress(globals, reporter, context, (update) =>
    pull(client, sink, {
      filters,
      pageSize: pageSizeOf(options),
      concurrency,
      maxRows,
      signal,
      resume: claim?.earlier,
      observer: {
        onPlan: async ({ totalRows }, slicePages) => {
          update({ total: Math.min(totalRows, maxRows ?? totalRows) });
          await claim?.planned(slicePages);
        },
        onRows: (rows) => update({ rows }),
        onRestart: (reason) => reporter.note(`reading a part of the set again: ${reason}`),
      },
    }),
  );
}

/** Rows of one request: no more than are wanted. */
export function pageSizeOf({ pageSize, maxRows }: ExportOptions): number {
  return Math.min(pageSize, maxRows ?? pageSize);
}
