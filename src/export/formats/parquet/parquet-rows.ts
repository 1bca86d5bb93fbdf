import { type AsyncBuffer, asyncBufferFromFile, parquetRead, parquetReadObjects } from "hyparquet";
import type { WrittenFile } from "../encoder.ts";
import { assertBoundedPages, boundedMetadata } from "./parquet-bounds.ts";

/** Keeps a byte order mark, which is part of the text; a decoder drops it by default. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export const TEXT_PARSERS = { stringFromBytes: (bytes: Uint8Array | undefined) => bytes && utf8.decode(bytes) };

export async function* parquetRows(
  { path }: WrittenFile,
  columns: readonly string[],
): AsyncGenerator<Record<string, unknown>> {
  for await (const rows of rowGroups(await asyncBufferFromFile(path), columns)) {
    yield* rows;
  }
}

/** The row groups of a file, and of the columns those that it has, as the library reads them. */
async function* boundedGroups(file: AsyncBuffer, columns: readonly string[]) {
  const metadata = await boundedMetadata(file, TEXT_PARSERS);
  const present = columns.filter((column) => metadata.schema.some(({ name }) => name === column));
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    await assertBoundedPages(file, group, present);
    yield { file, metadata, columns: present, rowStart, rowEnd, parsers: TEXT_PARSERS };
    rowStart = rowEnd;
  }
}

/**
 * Columns of a Parquet file, one row group at a time. Memory: the footer and one row group. Rows have no member for a
 * column that the file lacks.
 */
export async function* rowGroups(
  file: AsyncBuffer,
  columns: readonly string[],
): AsyncGenerator<Record<string, unknown>[], void, undefined> {
  for await (const group of boundedGroups(file, columns)) {
    const { rowStart, rowEnd } = group;
    const rows =
      group.columns.length === 0
        ? Array.from({ length: rowEnd - rowStart }, () => ({}))
        : await parquetReadObjects(group);
    if (rows.length !== rowEnd - rowStart) {
      throw new Error(`rows ${rowStart} to ${rowEnd} are only ${rows.length}`);
    }
    yield rows;
  }
}

/** Whole columns of a Parquet file, in memory and in the order of its rows; a column that it lacks is absent. */
export async function columnChunks<Name extends string>(
  file: AsyncBuffer,
  columns: readonly Name[],
): Promise<{ rows: number; columns: Partial<Record<Name, readonly unknown[]>> }> {
  const found: Partial<Record<string, unknown[]>> = {};
  let rows = 0;
  for await (const group of boundedGroups(file, columns)) {
    rows = group.rowEnd;
    await parquetRead({
      ...group,
      onChunk: ({ columnName, columnData }) => {
        found[columnName] ??= [];
        for (let index = 0; index < columnData.length; index += 1) {
          found[columnName].push(columnData[index]);
        }
      },
    });
    const incomplete = group.columns.find((name) => (found[name]?.length ?? 0) !== rows);
    if (incomplete !== undefined) {
      throw new Error(`the column ${incomplete} is incomplete`);
    }
  }
  return { rows, columns: found as Partial<Record<Name, unknown[]>> };
}
