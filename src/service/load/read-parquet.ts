import { brotliDecompressSync, gunzipSync } from "node:zlib";
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type RowGroup,
  snappyUncompress,
} from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { LoadError, RowError, shown } from "./load-error.ts";
import type { SourceRow } from "./row.ts";

/** Limits of the memory that a file needs: a row group is read as a whole, and a page is decompressed as a whole. */
const MAX_GROUP_ROWS = 2 ** 20;
const MAX_GROUP_BYTES = 512 * 1024 * 1024;
const MAX_PAGE_BYTES = 128 * 1024 * 1024;
/** What a page of an index has. */
const NO_VALUES = { num_values: 0 };
/** Rows whose texts are in memory at once. */
const ROWS_AT_ONCE = 1_000;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The decimal places of each column of unscaled decimals. */
type Scales = ReadonlyMap<string, number>;

/**
 * Reads rows of a Parquet file, with one row group in memory at a time. `line` is the number of the row.
 *
 * @throws LoadError if the file cannot be read, RowError
 */
export async function* readParquet(source: string, file: AsyncBuffer): AsyncGenerator<SourceRow[]> {
  try {
    yield* rowsOf(source, file);
  } catch (error) {
    if (error instanceof LoadError || error instanceof RowError) {
      throw error;
    }
    // Any part of the footer may lack or be of another type than the library says.
    const reason = error instanceof Error ? error.message : String(error);
    throw new LoadError(`${source}: cannot be read as Parquet: ${reason}`, { cause: error });
  }
}

async function* rowsOf(source: string, file: AsyncBuffer): AsyncGenerator<SourceRow[]> {
  // Looking for geodata, the library never comes to the end of columns of which one claims -1 children.
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const scales = takeScales(metadata);
  refuseUnknownColumns(metadata);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    refuseLargeGroup(source, group);
    refuseOtherColumns(metadata, group);
    await refuseLargePages(file, group);
    const objects = await parquetReadObjects({
      file,
      metadata,
      rowStart,
      rowEnd,
      utf8: false,
      parsers: { stringFromBytes: (bytes) => bytes && utf8.decode(bytes) },
      compressors: {
        SNAPPY: (input, length) => {
          const page = new Uint8Array(bounded(length));
          snappyUncompress(input, page);
          return page;
        },
        GZIP: (input, length) => gunzipSync(input, { maxOutputLength: bounded(length) }),
        BROTLI: (input, length) => brotliDecompressSync(input, { maxOutputLength: bounded(length) }),
      },
    });
    for (let start = 0; start < objects.length; start += ROWS_AT_ONCE) {
      const line = rowStart + start + 1;
      yield objects.slice(start, start + ROWS_AT_ONCE).map((object, index) => parquetRow(object, scales, line + index));
    }
    rowStart = rowEnd;
  }
}

function refuseLargeGroup(source: string, { num_rows, total_byte_size }: RowGroup): void {
  if (num_rows > MAX_GROUP_ROWS || total_byte_size > MAX_GROUP_BYTES) {
    const size = `${num_rows} rows and ${total_byte_size} bytes`;
    const most = `at most ${MAX_GROUP_ROWS} rows and ${MAX_GROUP_BYTES} bytes are read`;
    throw new LoadError(`${source}: has a row group of ${size}; ${most}. Write the file with smaller row groups`);
  }
}

/**
 * The library reads all columns of a group at once. If one is not in the schema, or is there twice, nobody catches the
 * errors of the others.
 */
function refuseOtherColumns(metadata: FileMetaData, { columns }: RowGroup): void {
  const named = columns.map(({ meta_data }) => meta_data?.path_in_schema.join("."));
  const known = parquetSchema(metadata).children.map(({ element }) => element.name);
  if (named.sort().join() !== known.sort().join()) {
    throw new Error("a row group has other columns than the file");
  }
}

/** The library reserves memory for as many values as a page claims, whatever it holds. */
async function refuseLargePages(file: AsyncBuffer, { columns }: RowGroup): Promise<void> {
  for (const { meta_data: column } of columns) {
    const start = Number(column?.dictionary_page_offset || column?.data_page_offset);
    const length = Number(column?.total_compressed_size);
    if (!(start >= 0 && length >= 0 && start + length <= file.byteLength)) {
      throw new Error("a column of a row group is not in the file");
    }
    const reader = { view: new DataView(await file.slice(start, start + length)), offset: 0 };
    while (reader.offset < reader.view.byteLength) {
      const page = parquetHeader(reader);
      const { num_values } =
        page.data_page_header ?? page.data_page_header_v2 ?? page.dictionary_page_header ?? NO_VALUES;
      if (!(num_values >= 0 && num_values <= MAX_GROUP_ROWS && page.compressed_page_size >= 0)) {
        throw new Error(`a page of ${num_values} values; at most ${MAX_GROUP_ROWS} are read`);
      }
      reader.offset += page.compressed_page_size;
    }
  }
}

function bounded(length: number): number {
  if (length > MAX_PAGE_BYTES) {
    throw new Error(`a page of ${length} bytes; at most ${MAX_PAGE_BYTES} are read`);
  }
  return length;
}

function refuseUnknownColumns(metadata: FileMetaData): void {
  for (const { name, num_children } of metadata.schema.slice(1)) {
    if (!PRODUCT_COLUMNS.some((column) => column === name) || num_children !== undefined) {
      throw new RowError({
        line: 1,
        found: `a column "${shown(name)}"`,
        expected: "only the plain columns of the contract",
      });
    }
  }
}

/**
 * The scales of the decimals, whose annotation is taken away: the library would scale them as floating-point numbers, which
 * changes digits. Without annotation, it returns integers.
 */
function takeScales({ schema }: FileMetaData): Scales {
  const scales = new Map<string, number>();
  for (const element of schema) {
    const { name, converted_type, logical_type, scale = 0 } = element;
    const logicalScale = logical_type?.type === "DECIMAL" ? logical_type.scale : undefined;
    if (converted_type === "DECIMAL" || logicalScale !== undefined) {
      scales.set(name, logicalScale ?? scale);
      delete element.converted_type;
      delete element.logical_type;
    }
  }
  return scales;
}

function parquetRow(object: Record<string, unknown>, scales: Scales, line: number): SourceRow {
  const members = Object.entries(object).map(
    ([name, value]) => `"${name}":${parquetValue(value, scales.get(name), line)}`,
  );
  return { line, text: `{${members.join(",")}}` };
}

function parquetValue(value: unknown, scale: number | undefined, line: number): string {
  if (value === null || value === undefined) {
    return "null";
  }
  if (scale !== undefined) {
    return decimalText(value instanceof Uint8Array ? bigEndian(value) : BigInt(value as number | bigint), scale);
  }
  if (value instanceof Uint8Array) {
    return JSON.stringify(decodedText(value, line));
  }
  if (value instanceof Date) {
    const [date = "", time] = value.toISOString().split("T");
    return JSON.stringify(time === "00:00:00.000Z" ? date : `${date}T${time}`);
  }
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}

function decodedText(bytes: Uint8Array, line: number): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new RowError({ line, found: "bytes that are not UTF-8", expected: "UTF-8 text" });
  }
}

function bigEndian(bytes: Uint8Array): bigint {
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString("hex") || "0"}`));
}

/** 1990 with two decimal places is 19.90. */
function decimalText(unscaled: bigint, scale: number): string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const sign = unscaled < 0n ? "-" : "";
  return scale === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-scale)}`;
}
