import { basename } from "node:path";
import type { Context } from "../../cli/context.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { type Connection, withConnection } from "../../cli/source/connection.ts";
import { reportEmpty } from "../../cli/source/empty-result.ts";
import { quoteCommand } from "../../cli/terminal/quote.ts";
import { VERSION } from "../../cli/version.ts";
import { lossWarnings } from "../../cli/write-rows.ts";
import { FileError } from "../../contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { counted } from "../../contract/values/counted.ts";
import { type Claim, withClaim } from "../../export/claim.ts";
import type { Destination } from "../../export/destination/destination.ts";
import { isStdout } from "../../export/destination/stdout.ts";
import type { EncoderOptions } from "../../export/formats/encoder.ts";
import { loadEncoder } from "../../export/formats/registry.ts";
import { MANIFEST_VERSION, type Manifest, manifestPathOf, manifestText } from "../../export/manifest.ts";
import { openSink } from "../../export/sink.ts";
import { type Fingerprint, type RunningFingerprint, runningFingerprint } from "../../files/fingerprint.ts";
import { LONGEST_NAME } from "../../files/own-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import type { PullResult } from "../../pull/pull.ts";
import type { StoreOptions } from "../../pull/store/open-store.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { type ExportOptions, UNNOTICED } from "./options.ts";
import { pageSizeOf, pullWithProgress } from "./pull-rows.ts";
import { refusal } from "./ways-on.ts";

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
    const rows = await withClaimedFile(options, connection, context, async (claim) => {
      const fingerprint = runningFingerprint();
      const sink = await openOutput(options, claim, fingerprint, connection, context);
      try {
        const place = { target: claim?.target, store: claim?.pages };
        const result = await pullWithProgress(sink, options, place, connection, context);
        if (result.rows === 0) {
          await reportEmpty(connection, options);
        }
        await sink.finish();
        if (options.manifest && claim !== undefined) {
          await claim.assertHeld();
          await writeManifest(result, claim, fingerprint.value(), options, connection, { startedAt, ids, context });
        }
        return result.rows;
      } catch (error) {
        await sink.abandon();
        throw error;
      }
    });
    if (rows > 0) {
      noteOutcome(rows, options, connection.reporter, context);
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

/** Claims the output file; there is none for a stream. @throws FileError if its name is too long for its manifest */
async function withClaimedFile<T>(
  options: ExportOptions,
  connection: Connection,
  context: Context,
  work: (claim: Claim | undefined) => Promise<T>,
): Promise<T> {
  const { output } = options.output;
  if (isStdout(output)) {
    return await work(undefined);
  }
  const excess = Buffer.byteLength(`${basename(manifestPathOf(output))}.new`) - LONGEST_NAME;
  if (options.manifest && excess > 0) {
    throw new FileError(`${output}: the name is ${excess} bytes too long for a manifest beside it`, output);
  }
  const store = storeOptions(options, `${output}.partial.pages`, connection, context);
  return await withClaim(output, context.pid, store, work);
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
    mode: options.leftover,
    tool: VERSION,
    startedAt: new Date(context.now()).toISOString(),
    head: { service, filters, asked: options.filters },
    pageSize: pageSizeOf(options),
    refuse: (leftover) => refusal(leftover, { words: options.words, output, service }),
    onNote: reporter.warn,
    onLeft: (lost) => {
      if (options.globals.errorFormat === "human") {
        reporter.warn(lost?.message ?? `${pages} keeps what was read; repeat the command with --resume to continue`);
      }
    },
  };
}

async function openOutput(
  options: ExportOptions,
  claim: Claim | undefined,
  fingerprint: RunningFingerprint,
  { reporter, signal }: Connection,
  context: Context,
): Promise<Destination<RowBatch>> {
  const { output, compression, noClobber, format } = options.output;
  const createEncoder = await loadEncoder(format, signal);
  return await openSink(
    {
      output,
      stdout: context.stdout,
      beforeData: reporter.dataBegins,
      signal,
      noClobber,
      compression,
      keepPartial: claim !== undefined,
      beforePlacing: claim?.assertHeld,
      fingerprint: options.manifest ? fingerprint : undefined,
    },
    (scratch) => createEncoder(rowEncoding(options, reporter), scratch),
  );
}

export function rowEncoding({ columns, spreadsheet, output }: ExportOptions, reporter: Reporter): EncoderOptions {
  const { format, links } = output;
  return { known: PRODUCT_COLUMNS, chosen: columns, spreadsheet, links, onLoss: lossWarnings(format, reporter) };
}

/** Writes the manifest of an output that is complete and in its place. */
async function writeManifest(
  result: PullResult,
  { target, resumedFrom, assertHeld }: Claim,
  fingerprint: Fingerprint,
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
      ...fingerprint,
      format,
      compression: compression ?? null,
      columns: options.columns ?? null,
      spreadsheet: options.spreadsheet,
    },
    rows: result.rows,
    complete: !result.truncated,
    coverage: result.summary,
    plan: { ...result.cuts, slices: result.slices },
    unnoticed: UNNOTICED,
    requests: { ...reporter.requests(), ids },
    started_at: resumedFrom ?? startedAt,
    finished_at: new Date(context.now()).toISOString(),
    resumed: resumedFrom !== undefined,
  };
  await replaceFile(manifestPathOf(target), manifestText(manifest), { beforePlacing: assertHeld });
}
