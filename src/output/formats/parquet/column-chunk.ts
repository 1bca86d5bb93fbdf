import type { ColumnChunk, DecodedArray, PageHeader, SchemaElement } from "hyparquet";
import { ByteWriter } from "hyparquet-writer";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";
import type { OutputBytes } from "../output-bytes.ts";

/** Bytes of the length before a text. */
export const LENGTH_BYTES = 4;

/** Where the pages of a row group go. The memory is used again for each column. */
export interface PageWriter {
  file: ByteWriter;
  compress: (body: Uint8Array) => Uint8Array;
  /** Each value once. */
  plain: PlainValues;
  body: OutputBytes;
  numbers: ByteWriter;
}

/** Distinct values in the encoding PLAIN: doubles, integers and days little-endian, texts as UTF-8 after their length in four bytes. */
export interface PlainValues {
  bytes: OutputBytes;
  /** Where each value begins, and after the last one where the next would. */
  starts: Uint32Array;
  count: number;
}

/** A column that is written. */
export interface ChunkRows {
  element: SchemaElement;
  /** Number of rows, nulls included. */
  rows: number;
  /** Number of the value of each row that is not null. */
  numbers: Uint16Array;
  /** For each row 1, or 0 if it is null; absent in a required column. */
  present: Uint8Array | undefined;
}

/** Writes one column of a row group: a dictionary and numbers, or the values if a dictionary would not halve them. */
export function writeChunk(writer: PageWriter, { element, rows, numbers, present }: ChunkRows): ColumnChunk {
  const { file, plain } = writer;
  const start = file.offset;
  const values = plain.bytes.taken();
  const bitWidth = Math.ceil(Math.log2(plain.count));
  const plainSize = numbers.reduce((sum, number) => sum + sizeOf(plain, number), 0);
  const isDictionary = plain.count > 0 && 2 * (values.length + (numbers.length * bitWidth) / 8) <= plainSize;
  let uncompressed = 0;
  if (isDictionary) {
    const dictionary_page_header = { num_values: plain.count, encoding: "PLAIN" } as const;
    uncompressed += writePage(writer, { type: "DICTIONARY_PAGE", dictionary_page_header }, values);
  }
  const firstData = file.offset;
  const encoding = isDictionary ? "RLE_DICTIONARY" : "PLAIN";
  const levels = new ByteWriter(64);
  const data_page_header_v2 = {
    num_values: rows,
    num_nulls: rows - numbers.length,
    num_rows: rows,
    encoding,
    definition_levels_byte_length: present === undefined ? 0 : writeRleBitPackedHybrid(levels, present, 1),
    repetition_levels_byte_length: 0,
    is_compressed: true,
  } as const;
  const body = isDictionary ? numberBytes(writer, numbers, bitWidth) : valueBytes(writer, numbers);
  uncompressed += writePage(writer, { type: "DATA_PAGE_V2", data_page_header_v2 }, body, levels.getBytes());
  return {
    file_offset: BigInt(start),
    meta_data: {
      type: element.type ?? "BYTE_ARRAY",
      encodings: isDictionary ? ["PLAIN", "RLE_DICTIONARY"] : ["PLAIN"],
      path_in_schema: [element.name],
      codec: "SNAPPY",
      num_values: BigInt(rows),
      total_compressed_size: BigInt(file.offset - start),
      total_uncompressed_size: BigInt(uncompressed),
      data_page_offset: BigInt(firstData),
      ...(isDictionary && { dictionary_page_offset: BigInt(start) }),
      statistics: { ...boundsOf(plain, element), null_count: BigInt(rows - numbers.length) },
      encoding_stats: [
        ...(isDictionary ? [{ page_type: "DICTIONARY_PAGE", encoding: "PLAIN", count: 1 } as const] : []),
        { page_type: "DATA_PAGE_V2", encoding, count: 1 },
      ],
    },
  };
}

/** Writes a page; returns its size before compression. @param levels are not compressed */
function writePage(
  { file, compress }: PageWriter,
  header: Omit<PageHeader, "uncompressed_page_size" | "compressed_page_size">,
  body: Uint8Array,
  levels = new Uint8Array(),
): number {
  const start = file.offset;
  const packed = compress(body);
  writePageHeader(file, {
    ...header,
    uncompressed_page_size: levels.length + body.length,
    compressed_page_size: levels.length + packed.length,
  });
  const headerSize = file.offset - start;
  file.appendBytes(levels);
  file.appendBytes(packed);
  return headerSize + levels.length + body.length;
}

function numberBytes({ numbers: page }: PageWriter, numbers: Uint16Array, bitWidth: number): Uint8Array {
  page.index = 0;
  page.appendUint8(bitWidth);
  writeRleBitPackedHybrid(page, numbers as ArrayLike<number> as DecodedArray, bitWidth);
  return page.getBytes();
}

function valueBytes({ plain, body }: PageWriter, numbers: Uint16Array): Uint8Array {
  if (plain.count === numbers.length) {
    // No value repeats, so they are in the order of the rows.
    return plain.bytes.taken();
  }
  body.length = 0;
  for (const number of numbers) {
    body.addPart(plain.bytes.bytes, plain.starts[number] as number, plain.starts[number + 1] as number);
  }
  return body.taken();
}

function sizeOf({ starts }: PlainValues, number: number): number {
  return (starts[number + 1] as number) - (starts[number] as number);
}

/** The smallest and the largest value, texts by their bytes. */
function boundsOf({ bytes: { bytes }, starts, count }: PlainValues, { type }: SchemaElement) {
  const start = (number: number) => (starts[number] as number) + (type === "BYTE_ARRAY" ? LENGTH_BYTES : 0);
  const integer = (number: number) => bytes.readBigInt64LE(start(number));
  const numeric = (number: number) =>
    type === "DOUBLE"
      ? bytes.readDoubleLE(start(number))
      : type === "INT64"
        ? Number(integer(number))
        : bytes.readInt32LE(start(number));
  const compare = (a: number, b: number) =>
    type === "BYTE_ARRAY"
      ? bytes.compare(bytes, start(b), starts[b + 1], start(a), starts[a + 1])
      : numeric(a) - numeric(b);
  const read = (number: number) =>
    type === "BYTE_ARRAY"
      ? Uint8Array.from(bytes.subarray(start(number), starts[number + 1]))
      : type === "INT64"
        ? integer(number)
        : numeric(number);
  let min = 0;
  let max = 0;
  for (let number = 1; number < count; number += 1) {
    if (compare(number, min) < 0) {
      min = number;
    } else if (compare(number, max) > 0) {
      max = number;
    }
  }
  return count === 0 ? {} : { min_value: read(min), max_value: read(max) };
}
