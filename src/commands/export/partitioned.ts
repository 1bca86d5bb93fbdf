import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../../cli/context.ts";
import { flagError } from "../../cli/flags/values.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { type Connection, connect } from "../../cli/source/connection.ts";
import { newestDay, reportNoRows } from "../../cli/source/empty-result.ts";
import { FileError, UsageError } from "../../contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { firstFew, plural, quoted } from "../../contract/values/phrases.ts";
import { withCompressionEnding } from "../../export/destination/compression.ts";
import { writeStaged } from "../../export/destination/open-destination.ts";
import { openPartitionSpool, type PartitionSpool } from "../../export/destination/partition-spool.ts";
import { assertSameLayout, moveIntoPlace, partitionOf } from "../../export/destination/partitions.ts";
import type { EncoderOptions } from "../../export/formats/encoder.ts";
import { columnsOfFile } from "../../export/formats/file-columns.ts";
import { FORMATS, loadEncoder } from "../../export/formats/registry.ts";
import { columnsOf } from "../../export/formats/row-members.ts";
import { type PartitionFile, readPartitionFiles, writePartitionManifest } from "../../export/partition-manifest.ts";
import { ifPresent } from "../../files/system-error.ts";
import { lockFolder, storeIn } from "../../folder/folder-lock.ts";
import { isSyncedFolder } from "../../folder/folder-state.ts";
import { openPageStore } from "../../pull/store/open-store.ts";
import { recordExport } from "./export-record.ts";
import type { ExportOptions } from "./options.ts";
import { pullRows, rowEncoding } from "./pull-rows.ts";
import { storeOptions } from "./store-options.ts";

/**
 * Pulls the set into Hive folders below the output, one file a partition. Existing partitions with new rows are replaced
 * after all files are complete; other partitions are not changed.
 */
export async function runPartitionedExport(options: ExportOptions, context: Context): Promise<void> {
  const { output: folder = "" } = options.output;
  const columns = options.partitionBy ?? [];
  await using connection = await connect(options, context);
  const record = recordExport(options.filters, connection, context);
  await refuseFile(folder);
  await refuseSynced(folder);
  const existing = await assertSameLayout(folder, columns, fileNameOf(options));
  if (existing !== undefined && options.maxRows !== undefined) {
    throw flagError("--max-rows", `would replace partitions of ${quoted(folder)} by parts of them; use a new folder.`);
  }
  if (existing !== undefined) {
    await refuseOtherColumns(existing, options, connection);
  }
  await using locked = await lockFolder(folder, context.pid);
  const { lock, staging } = locked;
  try {
    const known = await readPartitionFiles(folder);
    const paths = storeIn(folder, "export");
    await using store = await openPageStore(paths, {
      ...storeOptions(options, paths.pages, connection, context),
      lock,
    });
    await using spool = await openPartitionSpool(join(staging, "rows"), partitionOf(columns));
    const place = { store: store.pages, target: folder };
    const result = await pullRows(spool.write, options, place, connection, context);
    const { rows } = result;
    if (rows === 0) {
      reportNoRows(await newestDay(connection), options.failOnEmpty, connection.reporter);
    }
    const files = await writePartitions(staging, spool, options, connection);
    const staged = Object.entries(files).map(([place, { path }]) => [place, path] as const);
    await moveIntoPlace(folder, new Map(staged), lock.assertLocked);
    if (options.manifest || known !== undefined) {
      await writePartitionManifest(
        folder,
        { ...known, ...files },
        record(result, store.resumedFrom),
        lock.assertLocked,
      );
    }
    await store.remove();
    if (rows > 0) {
      connection.reporter.note(`${folder}: ${plural(rows, "row")} in ${plural(staged.length, "file")}`);
    }
  } catch (error) {
    // A process that took the lock has removed the staging folder; what failed because of that is not the reason.
    await lock.assertLocked();
    throw error;
  }
}

async function refuseFile(path: string): Promise<void> {
  const entry = await ifPresent(path, () => stat(path));
  if (entry !== undefined && !entry.isDirectory()) {
    throw flagError("--output", `${quoted(path)} is a file; --partition-by needs a folder.`);
  }
}

/** Refuses a synced folder, because an export would make its state wrong. */
async function refuseSynced(folder: string): Promise<void> {
  if (await isSyncedFolder(folder)) {
    throw new FileError(`${folder} is kept up to date by \`catalog sync\`; export to another folder`, folder);
  }
}

/** Refuses a folder whose files have other columns: of formats with a header, programs take those of one file for all. */
async function refuseOtherColumns(path: string, options: ExportOptions, { reporter, signal }: Connection) {
  const found = await columnsOfFile(path, options.output.format, signal).catch(() => signal.throwIfAborted());
  const wanted = columnsOf(encodingOf(options, reporter));
  const known = found?.filter((name) => PRODUCT_COLUMNS.some((column) => column === name));
  if (known !== undefined && known.join() !== wanted.join()) {
    const same = known.length === 0 ? "" : `with --columns ${known.join(",")}, or `;
    throw new UsageError(
      `${path} has the columns ${firstFew(found ?? [], 20)}, which are not those of this export, and programs would mix both. Export ${same}to another folder.`,
    );
  }
}

function encodingOf(options: ExportOptions, reporter: Reporter): EncoderOptions {
  return { ...rowEncoding(options, reporter), partitionedBy: options.partitionBy };
}

/** The name of the file of each partition. */
function fileNameOf({ output: { format, compression } }: ExportOptions): string {
  return withCompressionEnding(`part-0.${FORMATS[format].extensions[0]}`, compression);
}

/** Writes the file of each partition. @returns what and where they are, by their places below the folder */
async function writePartitions(
  staging: string,
  spool: PartitionSpool,
  options: ExportOptions,
  { reporter, signal }: Connection,
): Promise<Record<string, PartitionFile & { path: string }>> {
  const { format, compression } = options.output;
  const encoderOptions = encodingOf(options, reporter);
  const createEncoder = await loadEncoder(format, signal);
  const files: Record<string, PartitionFile & { path: string }> = {};
  for (const [index, partition] of (await spool.partitions()).entries()) {
    const path = join(staging, String(index));
    const create = (scratchPath: () => Promise<string>) => createEncoder(encoderOptions, scratchPath);
    const written = await writeStaged(path, spool.read(partition), create, compression);
    files[join(partition, fileNameOf(options))] = { ...written, path };
  }
  return files;
}
