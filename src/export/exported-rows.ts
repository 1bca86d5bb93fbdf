import { createReadStream } from "node:fs";
import { type Duplex, pipeline, type Readable } from "node:stream";
import * as zlib from "node:zlib";
import { FileError, MismatchError } from "../contract/errors.ts";
import { dayOf } from "../contract/values/day-arithmetic.ts";
import { textFromSpreadsheet } from "../files/spreadsheet-text.ts";
import { fileError } from "../files/system-error.ts";
import { FORMATS, type RowFormat } from "./formats/registry.ts";
import type { Manifest } from "./manifest.ts";

export const CHECKED_COLUMNS = ["product_id", "retailer", "category", "department", "crawl_date"] as const;

/** The values that a row of a file is checked by; absent for columns that were not exported. */
export type ExportedRow = Partial<Record<(typeof CHECKED_COLUMNS)[number], string>>;

/**
 * Reads an exported file row by row. Memory: one chunk of the file, its longest row and the window of the codec; for a
 * Parquet file, the footer and one row group of the checked columns.
 *
 * @throws MismatchError if the file is not valid in its format
 * @throws FileError if this version cannot read it
 */
export async function* exportedRows(
  path: string,
  { format, compression, spreadsheet }: Pick<Manifest["file"], "format" | "compression" | "spreadsheet">,
): AsyncGenerator<ExportedRow, void, undefined> {
  if (!Object.hasOwn(FORMATS, format)) {
    throw new FileError(`${path}: rows of the format ${JSON.stringify(format)} cannot be counted`, path);
  }
  try {
    const { read } = await FORMATS[format as RowFormat].load();
    for await (const row of read({ path, content: () => openContent(path, compression) }, CHECKED_COLUMNS)) {
      yield checkedColumns(row, spreadsheet === "excel");
    }
  } catch (error) {
    if (error instanceof FileError) {
      throw error;
    }
    throw (error as NodeJS.ErrnoException).syscall === undefined
      ? new MismatchError(`${path} is not ${compression ?? format}: ${(error as Error).message}`)
      : fileError(path, error);
  }
}

const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Duplex };

function openContent(path: string, compression: string | null): Readable {
  const file = createReadStream(path);
  if (compression === null) {
    return file;
  }
  const codec = compression === "gzip" ? zlib.createGunzip() : createZstdDecompress?.();
  if (codec === undefined) {
    throw new FileError(`${path}: zstd needs Node.js 22.15 or newer`, path);
  }
  // The codec is destroyed with the same error, so its reader gets it.
  return pipeline(file, codec, () => undefined);
}

/** @param isProtected whether `--excel` protected the values from a spreadsheet */
function checkedColumns(row: unknown, isProtected: boolean): ExportedRow {
  const checked: ExportedRow = {};
  for (const name of CHECKED_COLUMNS) {
    const value = (row as Record<string, unknown> | null)?.[name];
    // A date is a `Date` in Parquet.
    const text = value instanceof Date ? dayOf(value.getTime()) : value;
    if (typeof text === "string") {
      checked[name] = isProtected ? textFromSpreadsheet(text) : text;
    }
  }
  return checked;
}
