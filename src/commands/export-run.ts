import type { Context } from "../context.ts";
import { PRODUCT_COLUMNS } from "../contract/product.ts";
import { EmptyResultError } from "../errors.ts";
import { type PullResult, pull } from "../export/pull.ts";
import { createSink, type OpenSink } from "../export/sink.ts";
import { isFile, openDestination } from "../output/destination.ts";
import { createEncoder } from "../output/formats.ts";
import { createProgress } from "../output/progress.ts";
import { type Connection, withConnection } from "./connection.ts";
import type { ExportOptions } from "./export.ts";

/** Pulls the set that the options name into their output. */
export async function runExport(options: ExportOptions, context: Context): Promise<void> {
  await withConnection(options, context, async (connection) => {
    const sink = await openSink(options, connection, context);
    try {
      const result = await pullWithProgress(sink, options, connection, context);
      if (options.failOnEmpty && result.rows === 0) {
        throw new EmptyResultError("nothing matches the filters");
      }
      await sink.finish();
    } catch (error) {
      await sink.abandon();
      throw error;
    }
  });
}

async function openSink(options: ExportOptions, { reporter }: Connection, context: Context): Promise<OpenSink> {
  const { output, compression, noClobber, format } = options.output;
  const destination = await openDestination({ output, stdout: context.stdout, noClobber });
  return createSink(destination, {
    compression,
    file: isFile(destination) ? destination : undefined,
    createEncoder: (continues) =>
      createEncoder(format, {
        known: PRODUCT_COLUMNS,
        chosen: options.columns,
        continues,
        onUnknownMember: (name) =>
          reporter.warn(`rows hold ${JSON.stringify(name)}, which ${format} leaves out; ndjson keeps it`),
        onLoneSurrogate: (column) =>
          reporter.warn(`${column} holds half a surrogate pair, written as U+FFFD; ndjson keeps it`),
      }),
  });
}

async function pullWithProgress(
  sink: OpenSink,
  { globals, filters, pageSize, concurrency, maxRows }: ExportOptions,
  { client, reporter }: Connection,
  context: Context,
): Promise<PullResult> {
  const mode = globals.quiet ? "none" : globals.progress;
  const progress = await createProgress({ stream: context.stderr, mode, now: context.now });
  const state: Parameters<typeof progress.update>[0] = { rows: 0 };
  reporter.onWait = (reason, milliseconds) => {
    state.waiting = { reason, until: context.now() + milliseconds };
    progress.update(state);
  };
  try {
    return await pull(client, sink, {
      filters,
      pageSize: Math.min(pageSize, maxRows ?? pageSize),
      concurrency,
      maxRows,
      signal: context.signal,
      observer: {
        onPlan: ({ totalRows }) => {
          state.total = Math.min(totalRows, maxRows ?? totalRows);
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
