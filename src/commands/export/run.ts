import type { Context } from "../../cli/context.ts";
import { connect } from "../../cli/source/connection.ts";
import { newestDay, reportEmptyResult, reportNoRows } from "../../cli/source/empty-result.ts";
import { plural } from "../../contract/values/phrases.ts";
import { operand, quoteCommand } from "../../contract/values/quote-command.ts";
import { openDestination } from "../../export/destination/open-destination.ts";
import { fileBehind } from "../../export/destination/partial-file.ts";
import { isStdout } from "../../export/destination/stdout.ts";
import { loadEncoder } from "../../export/formats/registry.ts";
import { hasManifest, writeManifest } from "../../export/manifest.ts";
import { runningFingerprint } from "../../files/fingerprint.ts";
import { openPageStore, temporaryStore } from "../../pull/store/open-store.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { recordExport } from "./export-record.ts";
import type { ExportOptions } from "./options.ts";
import { pullRows, rowEncoding } from "./pull-rows.ts";
import { assertRoomInName, storeBeside } from "./room.ts";
import { storeOptions } from "./store-options.ts";

export async function runExport(options: ExportOptions, context: Context): Promise<void> {
  await using connection = await connect(options, context);
  const { reporter, signal } = connection;
  const record = recordExport(options.filters, connection, context);
  const { ownList, columns, spreadsheet } = options;
  const { output: path, compression, noClobber, format } = options.output;
  const target = isStdout(path) ? "-" : await fileBehind(path);
  assertRoomInName(target, options.manifest);
  const own =
    ownList === undefined ? undefined : await (await import("./own-rows.ts")).readOwnRows(ownList, context, signal);
  const encoding = rowEncoding(options, reporter);
  // A file that had a manifest keeps one.
  const manifest = options.manifest || (ownList === undefined && (await hasManifest(path)));
  const fingerprint = manifest ? runningFingerprint() : undefined;
  const createEncoder = await loadEncoder(format, signal);
  const resume = options.storeMode === "resume" ? "--resume" : undefined;
  await using destination = await openDestination(
    {
      output: path,
      compression,
      noClobber,
      fingerprint,
      signal,
      fileFor: manifest ? "--manifest" : resume,
      stdout: context.stdout,
      beforeData: reporter.dataBegins,
      pid: context.pid,
    },
    (scratchPath) => createEncoder(encoding, scratchPath),
  );
  const { file } = destination;
  await using store =
    file === undefined
      ? temporaryStore()
      : await openPageStore(storeBeside(file.path), {
          ...storeOptions(options, storeBeside(target).pages, connection, context),
          lock: file.lock,
        });
  const write = async (rows: RowBatch) => await destination.write(own === undefined ? rows : own.of(rows));
  const result = await pullRows(write, options, { store: store.pages, target: file?.path }, connection, context);
  own?.warnOfUnmatched(reporter);
  const count = own?.count ?? result.rows;
  if (result.rows === 0) {
    reportNoRows(await newestDay(connection), options.failOnEmpty, reporter);
  } else if (count === 0) {
    reportEmptyResult(
      `none of the ${plural(result.rows, "row")} is of a product on the list`,
      options.failOnEmpty,
      reporter,
    );
  }
  await destination.finish();
  if (file !== undefined && fingerprint !== undefined) {
    const content = { ...fingerprint.value(), format, compression: compression ?? null };
    const written = { ...content, columns: columns ?? null, spreadsheet };
    await writeManifest(file, written, record(result, store.resumedFrom));
  }
  await store.remove();
  if (count > 0 && (!isStdout(path) || context.stdout.isTTY)) {
    reporter.note(describeOutput(path, plural(count, "row"), manifest));
  }
}

function describeOutput(path: string | undefined, rows: string, hasManifest: boolean): string {
  if (isStdout(path)) {
    return `${rows}; --output FILE writes rows to a file, \`catalog sample\` shows a table`;
  }
  const check = hasManifest ? `; \`${quoteCommand(["catalog", "verify", operand(path)])}\` checks it` : "";
  return `${path}: ${rows}${check}`;
}
