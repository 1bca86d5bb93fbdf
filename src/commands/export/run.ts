import { basename } from "node:path";
import type { Reporter } from "../../cli/reporter.ts";
import { type Connection, withConnection } from "../../cli/source/connection.ts";
import { reportEmpty } from "../../cli/source/empty-result.ts";
import { lossWarnings } from "../../cli/write-rows.ts";
import type { Context } from "../../context.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { counted } from "../../contract/values/decimal.ts";
import { FileError } from "../../errors.ts";
import { fingerprint, MANIFEST_VERSION, type Manifest, manifestPathOf, manifestText } from "../../export/manifest.ts";
import { claimOutput, type Resumable } from "../../export/resume.ts";
import { createSink, type OpenSink } from "../../export/sink.ts";
import { LONGEST_NAME } from "../../files/own-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { isFile, isStdout, openDestination } from "../../output/destination/open.ts";
import type { EncoderOptions } from "../../output/formats/encoder.ts";
import { FORMATS, loadEncoder } from "../../output/formats/registry.ts";
import { quoteCommand } from "../../output/terminal/quote.ts";
import type { PullResult } from "../../pull/pull.ts";
import { VERSION } from "../../version.ts";
import { type ExportOptions, UNNOTICED } from "./options.ts";
import { pageSizeOf, pullWithProgress } from "./pull-rows.ts";

export async function runExport(options: ExportOptions, context: Context): Promise<void> {
  await withConnection(options, context, async (connection) => {
    const startedAt = new Date(context.now()).toISOString();
    const ids: string[] = [];
    if (options.manifest) {
      connection.reporter.listeners.add((event) => {
        if (event.type === "response" && event.requestId !== undefined) {
          ids.push(event.requestId);
        }
      });
    }
    const claim = await claimFile(options, connection, context, startedAt);
    claim?.notes.forEach(connection.reporter.warn);
    const sink = await openSink(options, claim, connection, context).catch(async (error: unknown) => {
      await claim?.release();
      throw error;
    });
    let result: PullResult;
    try {
      result = await pullWithProgress(sink, options, claim, connection, context);
      if (result.rows === 0) {
        await reportEmpty(connection, options);
      }
      await claim?.settle();
      await sink.finish();
    } catch (error) {
      await sink.abandon();
      // With `--error-format json` only the error is written.
      if ((await claim?.leave()) && options.globals.errorFormat === "human") {
        connection.reporter.warn(
          `${options.output.output}.partial keeps what was written; repeat the command with --resume to continue`,
        );
      }
      throw error;
    }
    try {
      if (options.manifest && claim !== undefined) {
        await writeManifest(result, claim, options, connection, { startedAt, ids, context });
      }
    } finally {
      await claim?.close();
    }
    if (result.rows > 0) {
      noteOutcome(result.rows, options, connection.reporter, context);
    }
  });
}

/** Notes the number of rows in a file or on a terminal; there is no note for a pipe. */
function noteOutcome(count: number, options: ExportOptions, { note }: Reporter, { stdout }: Context): void {
  const { output } = options.output;
  const rows = counted(count, "row");
  if (!isStdout(output)) {
    note(
      `${output}: ${rows}${options.manifest ? `; \`${quoteCommand(["catalog", "verify", output])}\` checks it` : ""}`,
    );
  } else if (stdout.isTTY) {
    note(`${rows}; --output FILE writes them to a file, \`catalog sample\` shows a table`);
  }
}

/** Claims the output file; undefined for a stream. @throws FileError if its name is too long for its manifest */
async function claimFile(
  options: ExportOptions,
  { service, filters }: Connection,
  context: Context,
  startedAt: string,
): Promise<Resumable | undefined> {
  const { output, compression } = options.output;
  if (isStdout(output)) {
    return undefined;
  }
  const excess = Buffer.byteLength(`${basename(manifestPathOf(output))}.new`) - LONGEST_NAME;
  if (options.manifest && excess > 0) {
    throw new FileError(`${output}: the name is ${excess} bytes too long for a manifest beside it`, output);
  }
  return await claimOutput(output, {
    resume: options.resume,
    spoolLimit: options.spoolLimit,
    tool: VERSION,
    pid: context.pid,
    startedAt,
    head: {
      service,
      filters,
      format: describeFormat(options),
      columns: options.columns ?? null,
      compression: compression ?? null,
      page_size: options.pageSize,
      max_rows: options.maxRows ?? null,
    },
  });
}

/** The format with what else decides its bytes. */
function describeFormat({ output: { format, links }, spreadsheet }: ExportOptions): string {
  if (format === "xlsx") {
    return links ? "xlsx --links" : "xlsx without links";
  }
  return spreadsheet === undefined ? format : `${format} --${spreadsheet}`;
}

async function openSink(
  options: ExportOptions,
  claim: Resumable | undefined,
  { reporter, signal }: Connection,
  context: Context,
): Promise<OpenSink> {
  const { output, compression, noClobber, format } = options.output;
  const destination = await openDestination({
    output,
    stdout: context.stdout,
    beforeData: reporter.dataBegins,
    signal,
    noClobber,
    keepPartial: claim !== undefined,
    continueAt: claim?.continueAt,
  });
  const file = isFile(destination) ? destination : undefined;
  if (file !== undefined) {
    claim?.opened(file);
  }
  const createEncoder = await loadEncoder(format);
  const { startsOver } = FORMATS[format];
  return createSink(destination, {
    compression,
    file,
    startsOver,
    finished: claim?.earlier?.slices,
    // What starts over has no finished part to continue after.
    onSliceEnd: claim && !startsOver ? (slice, end) => claim.finished(slice, end) : undefined,
    onRewind: claim && ((slices) => claim.rewound(slices)),
    createEncoder: (continues, restore) => createEncoder({ ...rowEncoding(options, reporter), continues, restore }),
  });
}

/** The encoding of the rows of an export. */
export function rowEncoding({ columns, spreadsheet, output }: ExportOptions, reporter: Reporter): EncoderOptions {
  const { format, links } = output;
  return { known: PRODUCT_COLUMNS, chosen: columns, spreadsheet, links, ...lossWarnings(format, reporter) };
}

/** Writes the manifest of an output that is complete and in its place. */
async function writeManifest(
  result: PullResult,
  { target, earlier }: Resumable,
  options: ExportOptions,
  { service, filters, reporter }: Connection,
  { startedAt, ids, context }: { startedAt: string; ids: readonly string[]; context: Context },
): Promise<void> {
  const { format, compression } = options.output;
  const manifest: Manifest = {
    version: MANIFEST_VERSION,
    tool: { name: "retail-catalog-cli", version: VERSION, node: context.nodeVersion },
    service,
    asked: options.filters,
    filters,
    resolved: result.resolved,
    file: {
      name: target,
      ...(await fingerprint(target)),
      format,
      compression: compression ?? null,
      columns: options.columns ?? null,
      spreadsheet: options.spreadsheet,
    },
    rows: result.rows,
    complete: !result.truncated,
    coverage: result.summary,
    plan: {
      page_size: pageSizeOf(options),
      slice_pages: result.slicePages,
      slices: result.slices.map(({ filters, rows }) => ({ filters, rows })),
    },
    unnoticed: UNNOTICED,
    requests: { ...reporter.requests(), ids },
    started_at: earlier?.started_at ?? startedAt,
    finished_at: new Date(context.now()).toISOString(),
    resumed: earlier !== undefined,
  };
  await replaceFile(manifestPathOf(target), manifestText(manifest));
}
