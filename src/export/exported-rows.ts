import { createReadStream } from "node:fs";
import { type Duplex, pipeline, type Readable } from "node:stream";
import * as zlib from "node:zlib";
import { parse as parseCsv } from "csv-parse";
import { dayOf } from "../contract/values/day-arithmetic.ts";
import { FileError, MismatchError } from "../errors.ts";
import { fileError } from "../files/system-error.ts";
import { textLines } from "../files/text-lines.ts";
import { textFromSpreadsheet } from "../output/formats/spreadsheet-text.ts";
import type { Manifest } from "./manifest.ts";

const CHECKED_COLUMNS = ["product_id", "retailer", "category", "department", "crawl_date"] as const;

/** The values that a row of a file is checked by; absent for columns that were not exported. */
export type ExportedRow = Partial<Record<(typeof CHECKED_COLUMNS)[number], string>>;

type RowReader = (path: string, compression: string | null) => AsyncIterable<ExportedRow>;

const READERS: Readonly<Record<string, RowReader>> = {
  ndjson: (path, compression) => rowsOfLines(openContent(path, compression), (line) => line),
  // The encoder writes one row a line between the brackets.
  json: (path, compression) =>
    rowsOfLines(openContent(path, compression), (line) =>
      line === "[" || line === "]" ? undefined : line.replace(/,$/, ""),
    ),
  csv: (path, compression) => rowsOfRecords(openContent(path, compression), ","),
  tsv: (path, compression) => rowsOfRecords(openContent(path, compression), "\t"),
  async *parquet(path) {
    const [{ asyncBufferFromFile }, { rowGroups }] = await Promise.all([
      import("hyparquet"),
      import("./parquet-groups.ts"),
    ]);
    for await (const rows of rowGroups(await asyncBufferFromFile(path), CHECKED_COLUMNS)) {
      yield* rows.map(checkedColumns);
    }
  },
  async *xlsx(path) {
    const { openSheet, sheetRows } = await import("./xlsx-sheet.ts");
    for await (const row of sheetRows(wholeLines(await openSheet(path)), CHECKED_COLUMNS)) {
      yield checkedColumns(row);
    }
  },
};

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
  const read = READERS[format];
  if (read === undefined) {
    throw new FileError(`${path}: rows of the format ${JSON.stringify(format)} cannot be counted`, path);
  }
  try {
    for await (const row of read(path, compression)) {
      yield spreadsheet === "excel" ? unprotected(row) : row;
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

async function* rowsOfLines(bytes: Readable, rowOf: (line: string) => string | undefined): AsyncGenerator<ExportedRow> {
  let number = 0;
  for await (const line of wholeLines(bytes)) {
    number += 1;
    const row = rowOf(line);
    if (row === undefined) {
      continue;
    }
    let value: unknown;
    try {
      value = JSON.parse(row);
    } catch {
      throw new Error(`line ${number} is not JSON`);
    }
    yield checkedColumns(value);
  }
}

function wholeLines(bytes: Readable): AsyncIterable<string> {
  return textLines(bytes.setEncoding("utf8"), () => {
    throw new Error("the last line has no end");
  });
}

async function* rowsOfRecords(bytes: Readable, delimiter: string): AsyncGenerator<ExportedRow> {
  const parser = parseCsv({ delimiter, bom: true, columns: true });
  for await (const record of pipeline(bytes, parser, () => undefined) as AsyncIterable<unknown>) {
    yield checkedColumns(record);
  }
}

/** The values that `--excel` protected from a spreadsheet. */
function unprotected(row: ExportedRow): ExportedRow {
  return Object.fromEntries(Object.entries(row).map(([name, text]) => [name, textFromSpreadsheet(text)]));
}

/** A date is a `Date` in Parquet. */
function checkedColumns(row: unknown): ExportedRow {
  const checked: ExportedRow = {};
  for (const name of CHECKED_COLUMNS) {
    const value = (row as Record<string, unknown> | null)?.[name];
    const text = value instanceof Date ? dayOf(value.getTime()) : value;
    if (typeof text === "string") {
      checked[name] = text;
    }
  }
  return checked;
}
