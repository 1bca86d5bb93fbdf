import { createReadStream, ReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { asyncBufferFromFile } from "hyparquet";
import { LoadError, LoadFormatError } from "./load-error.ts";
import { readCsv } from "./read-csv.ts";
import { type Lines, readLines } from "./read-lines.ts";
import { readParquet } from "./read-parquet.ts";
import type { SourceRow } from "./row.ts";

/** A file, or a stream such as standard input. Errors contain `name`. */
export type LoadSource = { name: string } & ({ path: string } | { stream: AsyncIterable<Uint8Array> });

type LoadFormat = "ndjson" | "csv" | "parquet";

const FORMATS: Readonly<Record<string, LoadFormat>> = {
  ndjson: "ndjson",
  jsonl: "ndjson",
  csv: "csv",
  parquet: "parquet",
};

/** Kinds of files that people try to load, by their extension. */
const FOREIGN: Readonly<Record<string, string>> = {
  xlsx: "Excel files",
  xlsm: "Excel files",
  xls: "Excel files",
  ods: "OpenDocument files",
  tsv: "TSV files",
  zip: "ZIP archives",
};

type Chunks = AsyncIterable<Uint8Array>;

const NEWLINE = 10;
const RETURN = 13;
const READ_BYTES = 256 * 1024;
/** Longest Parquet file from a stream or in gzip, because it must be in memory as a whole. */
const MAX_PARQUET_BYTES = 256 * 1024 * 1024;

/**
 * Reads rows of a source, several at a time. The format follows from the file's extension or its content.
 *
 * @param partition columns that the folders of the file name, so that the file may lack them
 */
export async function* sourceRows(
  source: LoadSource,
  partition: ReadonlyMap<string, string>,
): AsyncGenerator<SourceRow[]> {
  const input = "path" in source ? createReadStream(source.path, { highWaterMark: READ_BYTES }) : source.stream;
  try {
    const { head, chunks, isGzip } = await decompress(source.name, input);
    const format = formatOfExtension(source.name) ?? formatOfContent(source.name, head);
    if (format === "parquet") {
      const isFile = "path" in source && !isGzip;
      const file = await (isFile ? asyncBufferFromFile(source.path) : readWhole(source.name, chunks));
      yield* readParquet(source.name, file);
      return;
    }
    yield* format === "csv" ? readCsv(readLines(chunks), partition) : readNdjson(readLines(chunks));
  } finally {
    // Nobody else closes a file of which only the first bytes were read.
    if (input instanceof ReadStream) {
      input.destroy();
    }
  }
}

/** The format of a file extension, without a final `.gz`. Undefined if the content decides. @throws LoadFormatError */
export function formatOfExtension(name: string): LoadFormat | undefined {
  const extension = /\.([a-z]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  const foreign = FOREIGN[extension];
  if (foreign !== undefined) {
    throw new LoadFormatError(name, foreign);
  }
  return FORMATS[extension];
}

function formatOfContent(name: string, head: Buffer): LoadFormat {
  const mark = head.subarray(0, 4).toString("latin1");
  if (mark === "PAR1") {
    return "parquet";
  }
  if (mark === "PK\u0003\u0004") {
    throw new LoadFormatError(name, "Excel files and ZIP archives");
  }
  // `trimStart` also removes a byte order mark.
  const text = head.toString().trimStart();
  if (text.startsWith("[")) {
    throw new LoadFormatError(name, "JSON arrays");
  }
  return text === "" || text.startsWith("{") ? "ndjson" : "csv";
}

async function decompress(name: string, input: Chunks): Promise<{ head: Buffer; chunks: Chunks; isGzip: boolean }> {
  const packed = await peek(input);
  if (packed.head.readUInt32BE(0) === 0x28_b5_2f_fd) {
    throw new LoadError(`${name}: is compressed with Zstandard, which is not supported. Decompress it first`);
  }
  if (packed.head.readUInt16BE(0) !== 0x1f_8b) {
    return { ...packed, isGzip: false };
  }
  // Errors of both streams reach the reader of the second.
  const unpacked = pipeline(packed.chunks, createGunzip({ chunkSize: READ_BYTES }), () => undefined);
  return { ...(await peek(unpacked)), isGzip: true };
}

/** The first bytes, padded to at least four, and all bytes. */
async function peek(input: Chunks): Promise<{ head: Buffer; chunks: Chunks }> {
  const iterator = input[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 4) {
    const { done, value } = await iterator.next();
    if (done === true) {
      break;
    }
    head = Buffer.concat([head, value]);
  }
  return { head: Buffer.concat([head], Math.max(head.length, 4)), chunks: after(head, iterator) };
}

async function* after(head: Buffer, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield head;
    yield* { [Symbol.asyncIterator]: () => iterator };
  } finally {
    await iterator.return?.();
  }
}

/** @throws LoadError before more is in memory than `MAX_PARQUET_BYTES` */
async function readWhole(name: string, chunks: Chunks): Promise<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > MAX_PARQUET_BYTES) {
      const hint = "Decompress it into a file first, which can be read in parts";
      throw new LoadError(`${name}: is a Parquet file longer than ${MAX_PARQUET_BYTES} bytes. ${hint}`);
    }
    parts.push(chunk);
  }
  return await new Blob(parts).arrayBuffer();
}

/** Reads one JSON text per line and skips blank lines. */
async function* readNdjson(blocks: AsyncIterable<Lines>): AsyncGenerator<SourceRow[]> {
  for await (const { bytes, line: firstLine } of blocks) {
    const rows: SourceRow[] = [];
    let line = firstLine;
    for (let start = 0; start < bytes.length; line += 1) {
      const newline = bytes.indexOf(NEWLINE, start);
      const end = newline === -1 ? bytes.length : newline;
      // Each line is decoded alone, because one character outside Latin-1 doubles the memory and time of its string.
      const text = bytes.toString("utf8", start, bytes[end - 1] === RETURN ? end - 1 : end);
      if (text.trim() !== "") {
        rows.push({ line, text });
      }
      start = end + 1;
    }
    yield rows;
  }
}
