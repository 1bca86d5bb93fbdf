import { basename } from "node:path";
import type { Context } from "../../cli/context.ts";
import { OWN_LIST_COLUMNS } from "../../cli/question/declaration.ts";
import { warnOfMissing } from "../../cli/question/own-list.ts";
import { typesOf } from "../../cli/question/write-answer.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { type Connection, connect } from "../../cli/source/connection.ts";
import { reportEmpty } from "../../cli/source/empty-result.ts";
import { readProductList } from "../../cli/source/product-list.ts";
import { quoteCommand } from "../../cli/terminal/quote.ts";
import { VERSION } from "../../cli/version.ts";
import { lossWarnings } from "../../cli/write-rows.ts";
import { FileError } from "../../contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { plural } from "../../contract/values/phrases.ts";
import { type Claim, claimOutput } from "../../export/claim.ts";
import { isStdout } from "../../export/destination/stdout.ts";
import type { EncoderOptions } from "../../export/formats/encoder.ts";
import { loadEncoder } from "../../export/formats/registry.ts";
import { MANIFEST_VERSION, manifestPathOf, manifestText } from "../../export/manifest.ts";
import { openSink } from "../../export/sink.ts";
import { runningFingerprint } from "../../files/fingerprint.ts";
import { LONGEST_NAME } from "../../files/own-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import type { StoreOptions } from "../../pull/store/open-store.ts";
import { temporaryStore } from "../../pull/store/page-store.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { recordExport } from "./export-record.ts";
import { leftoverError } from "./leftover-error.ts";
import type { ExportOptions } from "./options.ts";
import { OWN_ROW_COLUMNS, ownRows } from "./own-rows.ts";
import { pageSizeOf, writeSet } from "./pull-rows.ts";

export async function runExport(options: ExportOptions, context: Context): Promise<void> {
  await using connection = await connect(options, context);
  const { reporter, signal } = connection;
  const record = recordExport(options, connection, context);
  const encoding = rowEncoding(options, reporter);
  const own =
    options.ownList === undefined ? undefined : ownRows(await readProductList(options.ownList, context, signal));
  await using claim = await claimFile(options, connection, context);
  const { output: path, compression, noClobber, format } = options.output;
  const fingerprint = options.manifest ? runningFingerprint() : undefined;
  const createEncoder = await loadEncoder(format, signal);
  await using output = await openSink(
    {
      ...{ output: path, compression, noClobber, fingerprint, signal },
      ...{ stdout: context.stdout, beforeData: reporter.dataBegins, lock: claim?.lock, pid: context.pid },
    },
    (scratchPath) => createEncoder(encoding, scratchPath),
  );
  await using waiting = claim === undefined ? temporaryStore() : undefined;
  const place = { store: waiting ?? (claim as Claim).store.pages, target: claim?.target };
  const write = async (rows: RowBatch) => await output.write(own === undefined ? rows : own.of(rows));
  const result = await writeSet(write, options, place, connection, context);
  const count = own?.count ?? result.rows;
  if (own !== undefined) {
    warnOfMissing(own.unmatched(), reporter);
  }
  if (count === 0) {
    await reportEmpty(connection, options);
  }
  await output.finish();
  if (claim !== undefined && fingerprint !== undefined) {
    await claim.lock.assertHeld();
    const { columns = null, spreadsheet } = options;
    const file = { name: claim.target, ...fingerprint.value(), format, compression: compression ?? null };
    const manifest = {
      version: MANIFEST_VERSION,
      ...record(result, claim.store.resumedFrom),
      file: { ...file, columns, spreadsheet },
    };
    await replaceFile(manifestPathOf(claim.target), manifestText(manifest), { beforePlacing: claim.lock.assertHeld });
  }
  await claim?.store.remove();
  if (count > 0) {
    noteOutcome(count, options, reporter, context);
  }
}

/** Notes the number of rows in a file or on a terminal; there is no note for a pipe. */
function noteOutcome(count: number, options: ExportOptions, { note }: Reporter, { stdout }: Context): void {
  const { output } = options.output;
  const rows = plural(count, "row");
  if (!isStdout(output)) {
    note(
      `${output}: ${rows}${options.manifest ? `; \`${quoteCommand(["catalog", "verify", output])}\` checks it` : ""}`,
    );
  } else if (stdout.isTTY) {
    note(`${rows}; --output FILE writes them to a file, \`catalog sample\` shows a table`);
  }
}

/** Claims the output file; there is none for a stream. @throws FileError if its name is too long for its manifest */
async function claimFile(options: ExportOptions, connection: Connection, context: Context): Promise<Claim | undefined> {
  const { output } = options.output;
  if (isStdout(output)) {
    return undefined;
  }
  const excess = Buffer.byteLength(`${basename(manifestPathOf(output))}.new`) - LONGEST_NAME;
  if (options.manifest && excess > 0) {
    throw new FileError(`${output}: the name is ${excess} bytes too long for a manifest beside it`, output);
  }
  const store = storeOptions(options, `${output}.partial.pages`, connection, context);
  return await claimOutput(output, context.pid, store);
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
    pageSize: pageSizeOf(options),
    refuse: (leftover) => leftoverError(leftover, { words: options.words, output, service }),
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
