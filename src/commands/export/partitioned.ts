import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../../cli/context.ts";
import { flagError, quoted } from "../../cli/flags/values.ts";
import { type Connection, connect } from "../../cli/source/connection.ts";
import { reportEmpty } from "../../cli/source/empty-result.ts";
import { FileError } from "../../contract/errors.ts";
import { plural } from "../../contract/values/phrases.ts";
import { withCompressionEnding } from "../../export/destination/compression.ts";
import { openPartitionSpool, type PartitionSpool } from "../../export/destination/partition-spool.ts";
import { assertFolderNames, moveIntoPlace, partitionOf } from "../../export/destination/partitions.ts";
import { FORMATS, loadEncoder } from "../../export/formats/registry.ts";
import { writeStaged } from "../../export/sink.ts";
import { ifPresent } from "../../files/system-error.ts";
import { lockFolder, ownFolderOf, storeIn } from "../../folder/folder-lock.ts";
import { isSyncedFolder } from "../../folder/folder-state.ts";
import { openPageStore } from "../../pull/store/open-store.ts";
import type { ExportOptions } from "./options.ts";
import { writeSet } from "./pull-rows.ts";
import { rowEncoding, storeOptions } from "./run.ts";

/**
 * Pulls the set into Hive folders below the output, one file a partition. Existing partitions with new rows are replaced
 * after all files are complete; other partitions are not changed.
 */
export async function runPartitionedExport(options: ExportOptions, context: Context): Promise<void> {
  const { output: folder = "" } = options.output;
  const columns = options.partitionBy ?? [];
  await using connection = await connect(options, context);
  await refuseFile(folder);
  await refuseSynced(folder);
  await using locked = await lockFolder(folder, context.pid);
  const { lock, staging } = locked;
  try {
    const paths = storeIn(folder, "export");
    await using store = await openPageStore(paths, {
      ...storeOptions(options, paths.pages, connection, context),
      lock,
    });
    await using spool = await openPartitionSpool(join(staging, "rows"), partitionOf(columns));
    const place = { store: store.pages, target: ownFolderOf(folder) };
    const { rows } = await writeSet(spool.write, options, place, connection, context, (coverage) =>
      assertFolderNames(columns, coverage),
    );
    if (rows === 0) {
      await reportEmpty(connection, options);
    }
    const files = await writePartitions(staging, spool, options, connection);
    await moveIntoPlace(folder, files, lock.assertHeld);
    await store.remove();
    if (rows > 0) {
      connection.reporter.note(`${folder}: ${plural(rows, "row")} in ${plural(files.size, "file")}`);
    }
  } catch (error) {
    // A process that took the lock has removed the staging folder; what failed because of that is not the reason.
    await lock.assertHeld();
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
