import { basename } from "node:path";
import type { Context } from "../../cli/context.ts";
import { OWN_LIST_COLUMNS } from "../../cli/question/declaration.ts";
import { typesOf } from "../../cli/question/write-answer.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { type Connection, connect } from "../../cli/source/connection.ts";
import { reportEmpty } from "../../cli/source/empty-result.ts";
import { quoteCommand } from "../../cli/terminal/quote.ts";
import { VERSION } from "../../cli/version.ts";
import { lossWarnings } from "../../cli/write-rows.ts";
import { FileError } from "../../contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { plural } from "../../contract/values/phrases.ts";
import { isStdout } from "../../export/destination/stdout.ts";
import type { EncoderOptions } from "../../export/formats/encoder.ts";
import { loadEncoder } from "../../export/formats/registry.ts";
import { manifestPathOf, writeManifest } from "../../export/manifest.ts";
import { openSink } from "../../export/sink.ts";
import { runningFingerprint } from "../../files/fingerprint.ts";
import { LONGEST_NAME } from "../../files/own-file.ts";
import { openPageStore, type StoreOptions, temporaryStore } from "../../pull/store/open-store.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { recordExport } from "./export-record.ts";
import { leftoverError } from "./leftover-error.ts";
import { type ExportOptions, OWN_ROW_COLUMNS } from "./options.ts";
import { pageSizeOf, pullRows } from "./pull-rows.ts";

export async function runExport(options: ExportOptions, context: Context): Promise<void> {
  await using connection = await connect(options, context);
  const { reporter, signal } = connection;
  const record = recordExport(options, connection, context);
  const { ownList, columns, spreadsheet } = options;
  const { output: path, compression, noClobber, format } = options.output;
  if (!isStdout(path)) {
    assertRoomInName(path, options.manifest);
  }
  const own =
    ownList === undefined ? undefined : await (await import("./own-rows.ts")).readOwnRows(ownList, context, signal);
  const fingerprint = options.manifest ? runningFingerprint() : undefined;
  const createEncoder = await loadEncoder(format, signal);
  const encoding = rowEncoding(options, reporter);
  await using output = await openSink(
    {
      ...{ output: path, compression, noClobber, fingerprint, signal },
      ...{ stdout: context.stdout, beforeData: reporter.dataBegins, pid: context.pid },
    },
    (scratchPath) => createEncoder(encoding, scratchPath),
  );
  const { file } = output;
  await using store =
    file === undefined
      ? temporaryStore()
      : await openPageStore(
          { lines: `${file.path}.partial.json`, pages: file.path + PAGES_SUFFIX },
          { ...storeOptions(options, path + PAGES_SUFFIX, connection, context), lock: file.lock },
        );
  const write = async (rows: RowBatch) => await output.write(own === undefined ? rows : own.of(rows));
  const result = await pullRows(write, options, { store: store.pages, target: file?.path }, connection, context);
  own?.warnOfUnmatched(reporter);
  const count = own?.count ?? result.rows;
  if (count === 0) {
    await reportEmpty(connection, options);
  }
  await output.finish();
  if (file !== undefined && fingerprint !== undefined) {
    const content = { ...fingerprint.value(), format, compression: compression ?? null };
    const written = { ...content, columns: columns ?? null, spreadsheet };
    await writeManifest(file, written, record(result, store.resumedFrom));
  }
  await store.remove();
  if (count > 0 && !isStdout(path)) {
    const check = options.manifest ? `; \`${quoteCommand(["catalog", "verify", path])}\` checks it` : "";
    reporter.note(`${path}: ${plural(count, "row")}${check}`);
  } else if (count > 0 && context.stdout.isTTY) {
    reporter.note(`${plural(count, "row")}; --output FILE writes them to a file, \`catalog sample\` shows a table`);
  }
}

/** The longest suffix of the files of an unfinished output. */
const PAGES_SUFFIX = ".partial.pages";

/** @throws FileError if a name is too long for those of the files beside it */
function assertRoomInName(path: string, hasManifest: boolean): void {
  const name = basename(path);
  const longest = LONGEST_NAME - PAGES_SUFFIX.length;
  if (Buffer.byteLength(name) > longest) {
    throw new FileError(
      `${path}: the name is too long; it may have at most ${longest} bytes, because the export also needs names like NAME${PAGES_SUFFIX}`,
      path,
    );
  }
  const excess = Buffer.byteLength(`${manifestPathOf(name)}.new`) - LONGEST_NAME;
  if (hasManifest && excess > 0) {
    throw new FileError(`${path}: the name is ${excess} bytes too long for a manifest beside it`, path);
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
