import type { PageHeader } from "hyparquet";
import { ByteWriter } from "hyparquet-writer";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";
import { snappyCompressor } from "hysnappy";

/** Compresses pages. Its output depends on the pages before, since it keeps its table of known bytes. */
export type Compressor = (body: Uint8Array) => Uint8Array;

/** WebAssembly, at least four times as fast as the compressor of the Parquet library. */
export function createCompressor(): Compressor {
  return snappyCompressor();
}

const EMPTY = new Uint8Array();

/** Part of a column of a row group. */
export interface DataPage {
  /** Values that are not null, encoded. */
  body: Uint8Array;
  encoding: "PLAIN" | "RLE_DICTIONARY";
  rows: number;
  /** For each row 1, or 0 if its value is null; undefined if the column is required. */
  present: Uint8Array | undefined;
}

/** Writes a data page, version 2; returns its size before compression. */
export function writeDataPage(
  out: ByteWriter,
  compress: Compressor,
  { body, encoding, rows, present }: DataPage,
): number {
  const levels = present === undefined ? EMPTY : definitionLevels(present);
  return writePage(out, compress, levels, body, {
    type: "DATA_PAGE_V2",
    data_page_header_v2: {
      num_values: rows,
      num_nulls: present === undefined ? 0 : present.reduce((nulls, level) => nulls - level, rows),
      num_rows: rows,
      encoding,
      definition_levels_byte_length: levels.length,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  });
}

/** Writes the values that the numbers in the data pages stand for; returns the size of the page before compression. */
export function writeDictionaryPage(out: ByteWriter, compress: Compressor, body: Uint8Array, values: number): number {
  const header = { num_values: values, encoding: "PLAIN" } as const;
  return writePage(out, compress, EMPTY, body, { type: "DICTIONARY_PAGE", dictionary_page_header: header });
}

function writePage(
  out: ByteWriter,
  compress: Compressor,
  levels: Uint8Array,
  body: Uint8Array,
  header: Omit<PageHeader, "uncompressed_page_size" | "compressed_page_size">,
): number {
  const compressed = compress(body);
  const start = out.offset;
  writePageHeader(out, {
    ...header,
    uncompressed_page_size: levels.length + body.length,
    compressed_page_size: levels.length + compressed.length,
  });
  const headerSize = out.offset - start;
  out.appendBytes(levels);
  out.appendBytes(compressed);
  return headerSize + levels.length + body.length;
}

function definitionLevels(present: Uint8Array): Uint8Array {
  const levels = new ByteWriter();
  writeRleBitPackedHybrid(levels, present, 1);
  return levels.getBytes();
}

/** Numbers of the values of a dictionary, as the body of a data page. @param values size of the dictionary */
export function encodeNumbers(numbers: Uint32Array, values: number): Uint8Array {
  const width = bitWidth(values);
  const body = new ByteWriter(64 + Math.ceil((numbers.length * width) / 8));
  body.appendUint8(width);
  writeRleBitPackedHybrid(body, numbers, width);
  return body.getBytes();
}

/** Bits of the numbers of this many values. */
export function bitWidth(values: number): number {
  return Math.ceil(Math.log2(values));
}
