import type { ColumnChunk, DecodedArray, PageHeader, ParquetType, SchemaElement } from "hyparquet";
import { ByteWriter } from "hyparquet-writer";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";
import { appendPart, type ColumnValues } from "./column-values.ts";

/** Bytes of the length before a text. */
const LENGTH_BYTES = 4;

/** Where the pages of a row group go. The memory is used again for each column. */
export interface PageWriter {
  file: ByteWriter;
  compress: (body: Uint8Array) => Uint8Array;
  /** The distinct values of the column. */
  plain: PlainValues;
  /** A page before it is compressed. */
  page: ByteWriter;
}

/** Distinct values in the encoding PLAIN: doubles, integers and days little-endian, texts as UTF-8 after their length in four bytes. */
export interface PlainValues {
  bytes: ByteWriter;
  /** Where each value begins, and after the last one where the next would. */
  starts: Uint32Array;
}

/** Writes one column of a row group: a dictionary and numbers, or the values if a dictionary would not halve them. */
export function writeChunk(
  writer: PageWriter,
  { name, type = "BYTE_ARRAY", repetition_type }: SchemaElement,
  column: ColumnValues,
): ColumnChunk {
  const { file, plain } = writer;
  const { rows, count } = column;
  const numbers = column.presentNumbers();
  const start = file.offset;
  const values = plain.bytes.getBytes();
  const bitWidth = Math.ceil(Math.log2(count));
  const plainSize = numbers.reduce((sum, number) => sum + sizeOf(plain, number), 0);
  const isDictionary = count > 0 && 2 * (values.length + (numbers.length * bitWidth) / 8) <= plainSize;
  let uncompressed = 0;
  if (isDictionary) {
    const dictionary_page_header = { num_values: count, encoding: "PLAIN" } as const;
    uncompressed += writePage(writer, { type: "DICTIONARY_PAGE", dictionary_page_header }, values);
  }
  const firstData = file.offset;
  const encoding = isDictionary ? "RLE_DICTIONARY" : "PLAIN";
  const levels = new ByteWriter(64);
  const isNullable = repetition_type === "OPTIONAL";
  const data_page_header_v2 = {
    num_values: rows,
    num_nulls: rows - numbers.length,
    num_rows: rows,
    encoding,
    definition_levels_byte_length: isNullable ? writeRleBitPackedHybrid(levels, column.present(), 1) : 0,
    repetition_levels_byte_length: 0,
    is_compressed: true,
  } as const;
  const body = isDictionary ? numberBytes(writer, numbers, bitWidth) : valueBytes(writer, numbers, count);
  uncompressed += writePage(writer, { type: "DATA_PAGE_V2", data_page_header_v2 }, body, levels.getBytes());
  return {
    file_offset: BigInt(start),
    meta_data: {
      type,
      encodings: isDictionary ? ["PLAIN", "RLE_DICTIONARY"] : ["PLAIN"],
      path_in_schema: [name],
      codec: "SNAPPY",
      num_values: BigInt(rows),
      total_compressed_size: BigInt(file.offset - start),
      total_uncompressed_size: BigInt(uncompressed),
      data_page_offset: BigInt(firstData),
      ...(isDictionary && { dictionary_page_offset: BigInt(start) }),
      statistics: { ...boundsOf(plain, count, type), null_count: BigInt(rows - numbers.length) },
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

function numberBytes({ page }: PageWriter, numbers: Uint16Array, bitWidth: number): Uint8Array {
  page.index = 0;
  page.appendUint8(bitWidth);
  writeRleBitPackedHybrid(page, numbers as ArrayLike<number> as DecodedArray, bitWidth);
  return page.getBytes();
}

function valueBytes({ plain: { bytes, starts }, page }: PageWriter, numbers: Uint16Array, count: number): Uint8Array {
  const values = bytes.getBytes();
  if (count === numbers.length) {
    // No value repeats, so they are in the order of the rows.
    return values;
  }
  page.index = 0;
  for (const number of numbers) {
    appendPart(page, values, starts[number] as number, starts[number + 1] as number);
  }
  return page.getBytes();
}

function sizeOf({ starts }: PlainValues, number: number): number {
  return (starts[number + 1] as number) - (starts[number] as number);
}

/** How numbers are read; the other columns are texts. */
const READ_NUMBER: { [type in ParquetType]?: (view: DataView, at: number) => number | bigint } = {
  DOUBLE: (view, at) => view.getFloat64(at, true),
  INT64: (view, at) => view.getBigInt64(at, true),
  INT32: (view, at) => view.getInt32(at, true),
};

/** The smallest and the largest of `count` values, texts by their bytes. */
function boundsOf({ bytes: { buffer, view }, starts }: PlainValues, count: number, type: ParquetType) {
  if (count === 0) {
    return {};
  }
  const bytes = Buffer.from(buffer);
  const numberAt = READ_NUMBER[type];
  const start = (number: number) => starts[number] as number;
  const textStart = (number: number) => start(number) + LENGTH_BYTES;
  const isLess = (a: number, b: number) =>
    numberAt === undefined
      ? bytes.compare(bytes, textStart(b), starts[b + 1], textStart(a), starts[a + 1]) < 0
      : numberAt(view, start(a)) < numberAt(view, start(b));
  const read = (number: number) =>
    numberAt === undefined
      ? Uint8Array.from(bytes.subarray(textStart(number), starts[number + 1]))
      : numberAt(view, start(number));
  let min = 0;
  let max = 0;
  for (let number = 1; number < count; number += 1) {
    if (isLess(number, min)) {
      min = number;
    } else if (isLess(max, number)) {
      max = number;
    }
  }
  return { min_value: read(min), max_value: read(max) };
}
