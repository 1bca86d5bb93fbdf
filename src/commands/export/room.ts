// What an export needs room for: its rows in a sheet, its pages and its file on the disk, its names in a folder.
import { basename, dirname } from "node:path";
import type { Coverage } from "../../contract/coverage.ts";
import { FileError, UsageError } from "../../contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { groupDigits, plural } from "../../contract/values/phrases.ts";
import { assertFolderNames } from "../../export/destination/partitions.ts";
import { FORMATS } from "../../export/formats/registry.ts";
import { MAX_SHEET_ROWS } from "../../export/formats/xlsx/workbook-parts.ts";
import { manifestPathOf } from "../../export/manifest.ts";
import { LONGEST_NAME } from "../../files/own-file.ts";
import { freeBytes } from "../../files/stored-bytes.ts";
import type { StorePaths } from "../../pull/store/open-store.ts";
import type { ExportOptions } from "./options.ts";

/** Bytes of a row as NDJSON. Real rows have 554 on average. */
const BYTES_OF_ROW = 560;

/** Bytes of compressed text for each byte of NDJSON. */
const COMPRESSED_SHARE = 0.13;

/**
 * Bytes on disk that an export needs until it is complete, roughly: its pages, its output if that is a file, and
 * once more its rows, sorted, for partitions.
 *
 * @param stored rows that are in the store already
 * @param isStdout whether the output is not on the disk
 */
export function bytesNeeded(
  rows: number,
  { output: { format, compression }, columns, partitionBy }: ExportOptions,
  { stored, isStdout }: { stored: number; isStdout: boolean },
): number {
  const share = compression === undefined ? FORMATS[format].share : COMPRESSED_SHARE;
  const chosen = columns === undefined ? 1 : columns.length / PRODUCT_COLUMNS.length;
  const ofOutput = isStdout ? 0 : rows * share * chosen;
  const sorted = partitionBy === undefined ? 0 : rows;
  return Math.ceil((Math.max(0, rows - stored) + sorted + ofOutput) * BYTES_OF_ROW);
}

/**
 * Refuses an export to a file or folder that its disk has no room for.
 *
 * @throws FileError
 */
export async function assertRoom(target: string, { partitionBy }: ExportOptions, needed: number): Promise<void> {
  const free = await freeBytes(partitionBy === undefined ? dirname(target) : target);
  if (needed > free) {
    throw new FileError(
      `${target}: the export needs about ${sizeText(needed)} for its pages and its output, and the disk has ${sizeText(free)} free; free some, narrow the filters, or export to another disk`,
      target,
    );
  }
}

/** A size for people: `1.2 GB`. */
export function sizeText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(2))} ${units[power]}`;
}

/** Refuses a set that the output cannot represent, before the first page is requested. @throws UsageError */
export function assertRepresentable(options: ExportOptions, coverage: readonly Coverage[]): void {
  assertFitsSheet(options, coverage);
  assertFolderNames(options.partitionBy ?? [], coverage);
}

/**
 * Refuses more rows than fit into a sheet of xlsx. The coverage does not count the rows
 * of single days or products, so the encoder refuses partitions by day and rows of an own list later.
 *
 * @throws UsageError
 */
function assertFitsSheet(
  { output, partitionBy = [], maxRows = Number.POSITIVE_INFINITY, ownList }: ExportOptions,
  coverage: readonly Coverage[],
): void {
  if (output.format !== "xlsx" || partitionBy.includes("crawl_date") || ownList !== undefined) {
    return;
  }
  const sheets = new Map<string, number>();
  for (const entry of coverage) {
    const partition = partitionBy.map((column) => entry[column as keyof Coverage]).join("/");
    sheets.set(partition, (sheets.get(partition) ?? 0) + entry.matching_rows);
  }
  for (const [partition, rows] of sheets) {
    if (Math.min(rows, maxRows) > MAX_SHEET_ROWS) {
      const what = partition === "" ? "the filters match" : `the partition ${partition} has`;
      const split = partition === "" ? "split the rows with --partition-by" : "partition by more columns";
      throw new UsageError(
        `${what} ${groupDigits(rows)} rows, and a sheet of xlsx has at most ${groupDigits(MAX_SHEET_ROWS)}; write csv or parquet, ${split}, or narrow the filters.`,
        { flag: "--format", value: "xlsx" },
      );
    }
  }
}

/** The longest suffix of the files of an unfinished output. */
const PAGES_SUFFIX = ".partial.pages";

/** The pages that an export to a file has read. */
export function storeBeside(file: string): StorePaths {
  return { lines: `${file}.partial.json`, pages: file + PAGES_SUFFIX };
}

/** @throws FileError if a name is too long for those of the files beside it */
export function assertRoomInName(path: string, hasManifest: boolean): void {
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
    throw new FileError(`${path}: the name is ${plural(excess, "byte")} too long for a manifest beside it`, path);
  }
}
