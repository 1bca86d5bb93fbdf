import { dirname } from "node:path";
import { FileError } from "../../contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { isStdout } from "../../export/destination/stdout.ts";
import { FORMATS } from "../../export/formats/registry.ts";
import { freeBytes } from "../../files/stored-bytes.ts";
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
 */
export function bytesNeeded(rows: number, { output, columns, partitionBy }: ExportOptions, stored = 0): number {
  const { format, compression } = output;
  const share = compression === undefined ? FORMATS[format].share : COMPRESSED_SHARE;
  const chosen = columns === undefined ? 1 : columns.length / PRODUCT_COLUMNS.length;
  const ofOutput = isStdout(output.output) ? 0 : rows * share * chosen;
  const sorted = partitionBy === undefined ? 0 : rows;
  return Math.ceil((Math.max(0, rows - stored) + sorted + ofOutput) * BYTES_OF_ROW);
}

/**
 * Refuses an export to a file that its disk has no room for.
 *
 * @throws FileError
 */
export async function assertRoom(target: string, needed: number): Promise<void> {
  const folder = dirname(target);
  const free = await freeBytes(folder);
  if (needed > free) {
    throw new FileError(
      `${target}: the export needs about ${sizeText(needed)}, its pages and the file, and the disk has ${sizeText(free)} free; free some, narrow the filters, or name a file on another disk`,
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
