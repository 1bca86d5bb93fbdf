import { mkdir, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { flagError, quoted } from "../../cli/flags/values.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { withConnection } from "../../cli/source/connection.ts";
import { reportEmpty } from "../../cli/source/empty-result.ts";
import type { Context } from "../../context.ts";
import { counted } from "../../contract/values/decimal.ts";
import { FileError } from "../../errors.ts";
import { createPartitionSink, writeWhole } from "../../export/partition-sink.ts";
import { ifPresent } from "../../files/system-error.ts";
import { lockFolder, ownFolderOf } from "../../mirror/folder/folder-lock.ts";
import { withCompressionEnding } from "../../output/destination/compression.ts";
import { openPartitionSpool, type PartitionSpool } from "../../output/destination/partition-spool.ts";
import { assertFolderNames, moveIntoPlace, partitionOf } from "../../output/destination/partitions.ts";
import { extensionOf, loadEncoder } from "../../output/formats/registry.ts";
import { temporaryStore } from "../../pull/store/page-store.ts";
import type { ExportOptions } from "./options.ts";
import { pullWithProgress } from "./pull-rows.ts";
import { rowEncoding } from "./run.ts";

/**
 * Pulls the set into Hive folders below the output, one file a partition. Existing partitions with new rows are replaced
 * after all files are complete; other partitions are not changed.
 */
export async function runPartitionedExport(options: ExportOptions, context: Context): Promise<void> {
  const folder = options.output.output ?? "";
  const columns = options.partitionBy ?? [];
  await withConnection(options, context, async (connection) => {
    await refuseFile(folder);
    await refuseSynced(folder);
    const lock = await lockFolder(folder, context.pid);
    const staging = join(ownFolderOf(folder), "staging");
    try {
      await rm(staging, { recursive: true, force: true });
      await mkdir(staging);
      const spool = await openPartitionSpool(join(staging, "rows"));
      const pages = temporaryStore();
      try {
        const sink = createPartitionSink(spool, partitionOf(columns));
        const { rows } = await pullWithProgress(sink, options, { store: pages }, connection, context, (coverage) =>
          assertFolderNames(columns, coverage),
        );
        if (rows === 0) {
          await reportEmpty(connection, options);
        }
        await writePartitions(folder, staging, spool, options, connection.reporter);
        if (rows > 0) {
          const files = counted((await spool.partitions()).length, "file");
          connection.reporter.note(`${folder}: ${counted(rows, "row")} in ${files}`);
        }
      } finally {
        await pages.close();
        await spool.close();
      }
    } finally {
      await rm(staging, { recursive: true, force: true });
      await lock.release();
      await rmdir(ownFolderOf(folder)).catch(() => undefined);
    }
  });
}

async function refuseFile(path: string): Promise<void> {
  const entry = await ifPresent(path, () => stat(path));
  if (entry !== undefined && !entry.isDirectory()) {
    throw flagError("--output", `${quoted(path)} is a file; --partition-by needs a folder.`);
  }
}

/** Refuses a synced folder, because an export would make its state wrong. */
async function refuseSynced(folder: string): Promise<void> {
  const isSynced = await stat(join(ownFolderOf(folder), "state.json")).then(
    () => true,
    () => false,
  );
  if (isSynced) {
    throw new FileError(`${folder} is kept up to date by \`catalog sync\`; export to another folder`, folder);
  }
}

async function writePartitions(
  folder: string,
  staging: string,
  spool: PartitionSpool,
  options: ExportOptions,
  reporter: Reporter,
): Promise<void> {
  const { format, compression } = options.output;
  const name = withCompressionEnding(`part-0.${extensionOf(format)}`, compression);
  const encoderOptions = { ...rowEncoding(options, reporter), partitionedBy: options.partitionBy };
  const createEncoder = await loadEncoder(format);
  const complete: [path: string, place: string][] = [];
  for (const [index, partition] of (await spool.partitions()).entries()) {
    const path = join(staging, String(index));
    await writeWhole(path, spool.read(partition), createEncoder(encoderOptions), compression);
    complete.push([path, join(partition, name)]);
  }
  for (const [path, place] of complete) {
    await moveIntoPlace(path, folder, place);
  }
}
