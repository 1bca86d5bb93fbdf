import type { Dirent } from "node:fs";
import { readdir, rename, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { FileError, UsageError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { escapePartitionValue } from "../../contract/values/hive-path.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { fsyncFolder } from "../../files/fsync.ts";
import { assertOwnFolder, LONGEST_NAME, makeOwnFolder } from "../../files/own-file.ts";
import { ifPresent, withFileError } from "../../files/system-error.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { assertDistinct } from "../formats/columns.ts";
import { formatOfFile } from "../formats/registry.ts";
import { memberOf } from "../formats/row-members.ts";

/** Columns with few enough values for a folder each. */
export const PARTITION_COLUMNS = ["retailer", "department", "category", "crawl_date"] as const;
export type PartitionColumn = (typeof PARTITION_COLUMNS)[number];

/**
 * Reads a list of partition columns, separated by commas.
 *
 * @throws UsageError if a name is repeated or not one of `PARTITION_COLUMNS`
 */
export function parsePartitionColumns(text: string): PartitionColumn[] {
  const names = text.split(",").map((name) => name.trim());
  const known: readonly string[] = PARTITION_COLUMNS;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`--partition-by takes ${known.join(", ")}, not ${quoted(unknown)}`, {
      flag: "--partition-by",
      value: unknown,
      suggestions: closest(unknown, known),
    });
  }
  assertDistinct(names, "--partition-by", text);
  return names as PartitionColumn[];
}

/** The folder of a row's partition as Hive names it: `retailer=acme/crawl_date=2026-01-01`. */
export function partitionOf(columns: readonly PartitionColumn[]): (rows: RowBatch, row: number) => string {
  const escaped = new Map<string, string>();
  const folderOf = (rows: RowBatch, row: number, column: PartitionColumn): string => {
    const raw = memberOf(rows, row, column);
    const value = escaped.get(raw) ?? escapePartitionValue(String(JSON.parse(raw)));
    escaped.set(raw, value);
    return `${column}=${value}`;
  };
  let last: { rows: RowBatch; row: number; partition: string } | undefined;
  return (rows, row) => {
    // Rows of one partition often follow each other.
    if (
      last === undefined ||
      last.rows !== rows ||
      last.row !== row - 1 ||
      columns.some((column) => !rows.isAsBefore(row, rows.column(column)))
    ) {
      last = { rows, row, partition: columns.map((column) => folderOf(rows, row, column)).join("/") };
    }
    last.row = row;
    return last.partition;
  };
}

/**
 * Refuses a value that cannot be the name of a folder, before any page is requested.
 *
 * @throws UsageError naming the value
 */
export function assertFolderNames(
  columns: readonly PartitionColumn[],
  combinations: readonly Record<Exclude<PartitionColumn, "crawl_date">, string>[],
): void {
  for (const column of columns) {
    const values = column === "crawl_date" ? [] : combinations.map((combination) => combination[column]);
    const tooLong = values.find(
      (value) => Buffer.byteLength(`${column}=${escapePartitionValue(value)}`) > LONGEST_NAME,
    );
    if (tooLong !== undefined) {
      throw new UsageError(
        `the ${column} "${tooLong.slice(0, 40)}…" is too long for the name of a folder; leave ${column} out of --partition-by`,
        { flag: "--partition-by", value: column },
      );
    }
  }
}

/**
 * Refuses a folder that has partitions by other columns, or row files of another format or name: programs that read the
 * folder would read both and count rows twice.
 *
 * @param name of the file of a partition
 * @returns one of the files of the partitions; undefined if there are none
 * @throws UsageError naming what is in the way
 */
export async function assertSameLayout(
  folder: string,
  columns: readonly PartitionColumn[],
  name: string,
): Promise<string | undefined> {
  let file: string | undefined;
  const refuse = (path: string): never => {
    throw new UsageError(
      `${path} is of another layout or format than --partition-by ${columns.join(",")} with ${name}, so that readers of the folder would count rows twice; export to another folder, or remove ${path}`,
      { flag: "--partition-by" },
    );
  };
  const check = async (parent: string, [column, ...deeper]: readonly PartitionColumn[]): Promise<void> => {
    const entries = await withFileError(parent, () =>
      ifPresent(parent, () => readdir(parent, { withFileTypes: true })),
    );
    for (const entry of entries ?? []) {
      const path = join(parent, entry.name);
      if (isPartition(entry)) {
        await assertOwnFolder(path);
        entry.name.startsWith(`${column}=`) ? await check(path, deeper) : refuse(path);
      } else if (parent !== folder && formatOfFile(entry.name).format !== undefined) {
        file = column === undefined && entry.name === name ? path : refuse(path);
      }
    }
  };
  await check(folder, columns);
  return file;
}

/** Whether an entry of a folder is a partition, or a link in its place. */
function isPartition(entry: Dirent): boolean {
  return entry.name.includes("=") && (entry.isDirectory() || entry.isSymbolicLink());
}

/**
 * Moves complete files to their places below `folder`. Readers see the old file or the new one. Once it resolves, the new
 * ones survive a loss of power.
 *
 * @param files by their places below the folder
 * @param assertLocked throws if this process may no longer write the folder; called before each change
 * @throws FileError also if the folder of a partition is a symbolic link, or two partitions have one folder
 */
export async function moveIntoPlace(
  folder: string,
  files: ReadonlyMap<string, string>,
  assertLocked: () => Promise<void>,
): Promise<void> {
  const changed = new Set<string>();
  const parents = new Map<string, string>();
  for (const place of files.keys()) {
    await assertLocked();
    let parent = folder;
    for (const name of dirname(place).split(sep)) {
      changed.add(parent);
      parent = join(parent, name);
      await makeOwnFolder(parent);
    }
    changed.add(parent);
    // Where the case of letters does not count, the file of one partition would replace that of the other.
    const { dev, ino } = await withFileError(parent, () => stat(parent, { bigint: true }));
    const other = parents.get(`${dev} ${ino}`) ?? parent;
    if (other !== parent) {
      throw new FileError(`${other} and ${parent} are the same folder on this file system; use another one`, parent);
    }
    parents.set(`${dev} ${ino}`, parent);
  }
  for (const [place, complete] of files) {
    await assertLocked();
    const target = join(folder, place);
    await withFileError(target, () => rename(complete, target));
  }
  for (const parent of changed) {
    await withFileError(parent, () => fsyncFolder(parent));
  }
}
