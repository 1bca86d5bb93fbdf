import type { Connection } from "../../cli/connection.ts";
import { withProgress } from "../../cli/pull-progress.ts";
import type { Context } from "../../context.ts";
import type { Resumable } from "../../export/resume.ts";
import { type PullResult, pull, type RowSink } from "../../pull/pull.ts";
import type { ExportOptions } from "./options.ts";

/** Pulls into the sink and shows how it goes. */
export async function pullWithProgress(
  sink: RowSink,
  options: ExportOptions,
  claim: Resumable | undefined,
  { client, filters, reporter, signal }: Connection,
  context: Context,
): Promise<PullResult> {
  const { globals, concurrency, maxRows } = options;
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
