import { createReadStream } from "node:fs";
import type { Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream";
import * as zlib from "node:zlib";
import { parse as parseCsv } from "csv-parse";
import { FileError, MismatchError } from "../errors.ts";
import { fileError } from "../files/system-error.ts";
import type { Manifest } from "./manifest.ts";

/** The `product_id` of a row; undefined where that column was not exported. */
type Id = string | undefined;

type IdReader = (path: string, compression: string | null) => AsyncIterable<Id>;

const READERS: Readonly<Record<string, IdReader>> = {
  ndjson: reader((bytes) => idsOfLines(bytes, (line) => line)),
  // One row a line between the brackets, as the encoder writes it.
  json: reader((bytes) =>
    idsOfLines(bytes, (line) => (line === "[" || line === "]" ? undefined : line.replace(/,$/, ""))),
  ),
  csv: reader((bytes) => idsOfRecords(bytes, ",")),
  tsv: reader((bytes) => idsOfRecords(bytes, "\t")),
  async *parquet(path) {
    const { idsOfParquet } = await import("./parquet-ids.ts");
    yield* idsOfParquet(path);
  },
};

/** Reads a format from its first byte to its last. */
function reader(idsOf: (bytes: Readable) => AsyncIterable<Id>): IdReader {
  return async function* (path, compression) {
    const bytes = contentOf(path, compression);
    try {
      yield* idsOf(bytes);
    } finally {
      bytes.destroy();
    }
  };
}

/**
 * Reads an exported file row by row; memory is one chunk of the file, its longest row and a codec's window, of a
 * Parquet file what `idsOfParquet` says.
 *
 * @throws MismatchError where it is not of its format
 * @throws FileError where it cannot be read by this version
 */
export async function* exportedIds(
  path: string,
  { format, compression }: Pick<Manifest["file"], "format" | "compression">,
): AsyncGenerator<Id, void, undefined> {
  const read = READERS[format];
  if (read === undefined) {
    throw new FileError(`${path}: rows of the format ${JSON.stringify(format)} cannot be counted`, path);
  }
  try {
    yield* read(path, compression);
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

function contentOf(path: string, compression: string | null): Readable {
  const file = createReadStream(path);
  if (compression === null) {
    return file;
  }
  const codec = compression === "gzip" ? zlib.createGunzip() : createZstdDecompress?.();
  if (codec === undefined) {
    throw new FileError(`${path}: zstd needs Node.js 22.15 or newer`, path);
  }
  // The codec is destroyed with the same error, which its reader is told.
  return pipeline(file, codec, () => undefined);
}

async function* idsOfLines(bytes: Readable, rowOf: (line: string) => string | undefined): AsyncGenerator<Id> {
  let number = 0;
  for await (const line of linesOf(bytes)) {
    number += 1;
    const row = rowOf(line);
    if (row !== undefined) {
      yield idOf(row, number);
    }
  }
}

/** Lines end with LF alone: a value may hold every other character that some readers take for a line end. */
async function* linesOf(bytes: Readable): AsyncGenerator<string> {
  bytes.setEncoding("utf8");
  let pending = "";
  for await (const text of bytes as AsyncIterable<string>) {
    const lines = (pending + text).split("\n");
    pending = lines.pop() ?? "";
    yield* lines;
  }
  if (pending !== "") {
    throw new Error("the last line has no end");
  }
}

function idOf(row: string, line: number): Id {
  let value: { product_id?: unknown } | null;
  try {
    value = JSON.parse(row) as typeof value;
  } catch {
    throw new Error(`line ${line} is not JSON`);
  }
  return typeof value?.product_id === "string" ? value.product_id : undefined;
}

async function* idsOfRecords(bytes: Readable, delimiter: string): AsyncGenerator<Id> {
  let column: number | undefined;
  const records: AsyncIterable<string[]> = pipeline(bytes, parseCsv({ delimiter }), () => undefined);
  for await (const record of records) {
    if (column === undefined) {
      column = record.indexOf("product_id");
    } else {
      yield record[column];
    }
  }
}
