import {
  type AsyncBuffer,
  type FileMetaData,
  type ParquetParsers,
  parquetMetadataAsync,
  parquetSchema,
} from "hyparquet";
import { deserializeTCompactProtocol } from "hyparquet/src/thrift.js";

/** Most rows of a row group, and most bytes of a page after decompression. */
const GROUP_ROWS = 2 ** 20;
const PAGE_BYTES = 128 * 1024 ** 2;

/** Longest footer in bytes. */
const FOOTER_BYTES = 64 * 1024 ** 2;

/** Bytes after the footer: its length, and the mark of the format. */
const TRAILER = 8;

/**
 * Reads the footer of a file that somebody else may have made, and refuses one that claims more than the file can hold:
 * a reader reserves memory for what is claimed. Rows have different ids, so each takes a byte at least.
 *
 * @throws Error saying what is too large
 */
export async function boundedMetadata(file: AsyncBuffer, parsers?: Partial<ParquetParsers>): Promise<FileMetaData> {
  const trailer = new DataView(await file.slice(Math.max(0, file.byteLength - TRAILER), file.byteLength));
  if (trailer.byteLength === TRAILER) {
    atMost("a footer", trailer.getUint32(0, true), Math.min(FOOTER_BYTES, file.byteLength - TRAILER), "bytes");
  }
  // Looking for geodata, the library never comes to the end of columns of which one claims -1 children.
  const metadata = await parquetMetadataAsync(file, { geoparquet: false, ...(parsers && { parsers }) });
  const rows = metadata.row_groups.map(({ num_rows }) => Number(num_rows));
  const sum = rows.reduce((total, count) => total + count, 0);
  if (sum !== Number(metadata.num_rows) || rows.some((count) => count < 0)) {
    throw new Error(`it has ${sum} rows in its row groups, but ${metadata.num_rows} in all`);
  }
  const known = parquetSchema(metadata).children.map(({ element }) => element.name);
  if (metadata.row_groups.some(({ columns }) => hasOtherColumns(columns, known))) {
    throw new Error("a row group has a column twice, or one that the file does not have");
  }
  atMost("a file of this length", sum, file.byteLength, "rows");
  atMost("a row group", Math.max(0, ...rows), GROUP_ROWS, "rows");
  return metadata;
}

/** The library reads all columns of a row group at once. If it does not find one, nobody catches the errors of the others. */
function hasOtherColumns(columns: FileMetaData["row_groups"][number]["columns"], known: readonly string[]): boolean {
  const names = columns.map(({ meta_data }) => meta_data?.path_in_schema[0] ?? "");
  const paths = columns.map(({ meta_data }) => meta_data?.path_in_schema.join("."));
  return new Set(paths).size < paths.length || names.some((name) => !known.includes(name));
}

/**
 * Refuses a row group whose pages claim more values than it has rows, or more bytes than are read at once. Only flat
 * columns are known.
 *
 * @throws Error saying what is too large
 */
export async function assertBoundedPages(
  file: AsyncBuffer,
  group: FileMetaData["row_groups"][number],
  columns: readonly string[],
): Promise<void> {
  const rows = Number(group.num_rows);
  for (const { meta_data: column } of group.columns) {
    const name = column?.path_in_schema.join(".") ?? "";
    if (column === undefined || !columns.includes(name)) {
      continue;
    }
    const start = Number(column.dictionary_page_offset || column.data_page_offset);
    const length = Number(column.total_compressed_size);
    atMost(`the column ${name}`, start + length, file.byteLength, "bytes");
    const reader = { view: new DataView(await file.slice(start, start + length)), offset: 0 };
    let values = 0;
    while (reader.offset < length) {
      // The numbers are those of the fields of a `PageHeader` in Parquet's Thrift definition.
      const header: Record<string, unknown> = deserializeTCompactProtocol(reader);
      const counts = ["field_5", "field_7", "field_8"].map((field) => numberIn(header[field], "field_1"));
      atMost(`a page of the column ${name}`, numberIn(header, "field_2"), PAGE_BYTES, "bytes");
      atMost(`a page of the column ${name}`, Math.max(...counts), rows, "values");
      values += (counts[0] ?? 0) + (counts[2] ?? 0);
      reader.offset += numberIn(header, "field_3");
    }
    if (values !== rows) {
      throw new Error(`the column ${name} has ${values} values for ${rows} rows`);
    }
  }
}

/** A number of a structure, which may be absent, as 0; one that is negative is as wrong as one that is too large. */
function numberIn(structure: unknown, field: string): number {
  const value = Number((structure as Record<string, unknown> | undefined)?.[field] ?? 0);
  return value >= 0 ? value : Number.POSITIVE_INFINITY;
}

function atMost(what: string, claimed: number, most: number, unit: string): void {
  if (claimed > most) {
    throw new Error(`${what} claims ${claimed} ${unit}; at most ${most} are possible`);
  }
}
