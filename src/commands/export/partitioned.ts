import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../../cli/context.ts";
import { flagError, quoted } from "../../cli/flags/values.ts";
import { type Connection, withConnection } from "../../cli/source/connection.ts";
import { reportEmpty } from "../../cli/source/empty-result.ts";
import { FileError } from "../../contract/errors.ts";
import { counted } from "../../contract/values/counted.ts";
import { withCompressionEnding } from "../../export/destination/compression.ts";
import { openPartitionSpool, type PartitionSpool } from "../../export/destination/partition-spool.ts";
import { assertFolderNames, moveIntoPlace, partitionOf } from "../../export/destination/partitions.ts";
import { FORMATS, loadEncoder } from "../../export/formats/registry.ts";
import { writeStaged } from "../../export/sink.ts";
import { ifPresent } from "../../files/system-error.ts";
import { type LockedFolder, ownFolderOf, storeIn, withLockedFolder } from "../../folder/folder-lock.ts";
import { isSyncedFolder } from "../../folder/folder-state.ts";
import { withStore } from "../../pull/store/open-store.ts";
import type { PageStore } from "../../pull/store/page-store.ts";
import type { ExportOptions } from "./options.ts";
import { pullWithProgress } from "./pull-rows.ts";
import { rowEncoding, storeOptions } from "./run.ts";

/**
 * Pulls the set into Hive folders below the output, one file a partition. Existing partitions with new rows are replaced
 * after all files are complete; other partitions are not changed.
 */
export async function runPartitionedExport(options: ExportOptions, context: Context): Promise<void> {
  const folder = options.output.output ?? "";
  await withConnection(options, context, async (connection) => {
    await refuseFile(folder);
    await refuseSynced(folder);
    await withLockedFolder(folder, context.pid, async (locked) => {
      const paths = storeIn(folder, "export");
      const store = storeOptions(options, paths.pages, connection, context);
      await withStore(paths, { ...store, lock: locked.lock }, ({ pages }) =>
        pullPartitions(folder, locked, pages, options, connection, context),
      );
    });
  });
}

async function pullPartitions(
  folder: string,
  { lock, staging }: LockedFolder,
  pages: PageStore,
  options: ExportOptions,
  connection: Connection,
  context: Context,
): Promise<void> {
  const columns = options.partitionBy ?? [];
  const spool = await openPartitionSpool(join(staging, "rows"), partitionOf(columns));
  try {
    const { rows } = await pullWithProgress(
      spool,
      options,
      { store: pages, target: ownFolderOf(folder) },
      connection,
      context,
      (coverage) => assertFolderNames(columns, coverage),
    );
    if (rows === 0) {
      await reportEmpty(connection, options);
    }
    const files = await writePartitions(staging, spool, options, connection);
    await moveIntoPlace(folder, files, lock.assertHeld);
    if (rows > 0) {
      connection.reporter.note(`${folder}: ${counted(rows, "row")} in ${counted(files.size, "file")}`);
    }
  } finally {
    await spool.close();
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

/** Writes the file of each partition. @returns the files, by their places below the folder */
async function writePartitions(
  staging: string,
  spool: PartitionSpool,
  options: ExportOptions,
  { reporter, signal }: Connection,
): Promise<Map<string, string>> {
  const { format, compression } = options.output;
  const name = withCompressionEnding(`part-0.${FORMATS[format].extensions[0]}`, compression);
  const encoderOptions = { ...rowEncoding(options, reporter), partitionedBy: options.partitionBy };
  const createEncoder = await loadEncoder(format, signal);
  const files = new Map<string, string>();
  for (const [index, partition] of (await spool.partitions()).entries()) {
    const path = join(staging, String(index));
    await writeStaged(path, spool.read(partition), (scratch) => createEncoder(encoderOptions, scratch), compression);
    files.set(join(partition, name), path);
  }
  return files;
}
