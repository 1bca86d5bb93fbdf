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

/**
 * Columns of a Parquet file, one row group at a time. Memory: the footer and one row group. Rows have no member for a
 * column that the file lacks.
 */
export async function* rowGroups(
  file: AsyncBuffer,
  columns: readonly string[],
): AsyncGenerator<Record<string, unknown>[], void, undefined> {
  const metadata = await boundedMetadata(file, TEXT_PARSERS);
  const present = columns.filter((column) => metadata.schema.some(({ name }) => name === column));
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    await assertBoundedPages(file, group, present);
    const rows =
      present.length === 0
        ? Array.from({ length: rowEnd - rowStart }, () => ({}))
        : await parquetReadObjects({
            file,
            metadata,
            columns: present,
            rowStart,
            rowEnd,
            parsers: TEXT_PARSERS,
          });
    if (rows.length !== rowEnd - rowStart) {
      throw new Error(`rows ${rowStart} to ${rowEnd} are only ${rows.length}`);
    }
    yield rows;
    rowStart = rowEnd;
  }
}

/** Whole columns of a Parquet file, in memory and in the order of its rows; a column that it lacks is absent. */
export async function columnChunks<Name extends string>(
  file: AsyncBuffer,
  columns: readonly Name[],
): Promise<{ rows: number; columns: Partial<Record<Name, readonly unknown[]>> }> {
  const metadata = await boundedMetadata(file, TEXT_PARSERS);
  const rows = Number(metadata.num_rows);
  const present = columns.filter((column) => metadata.schema.some(({ name }) => name === column));
  for (const group of metadata.row_groups) {
    await assertBoundedPages(file, group, present);
  }
  const found = new Map<string, { values: unknown[]; count: number }>(
    present.map((name) => [name, { values: new Array(rows), count: 0 }]),
  );
  await parquetRead({
    file,
    metadata,
    columns: present,
    parsers: TEXT_PARSERS,
    // Row groups are read at once, and each column has them in an order of its own.
    onChunk: ({ columnName, columnData, rowStart }) => {
      const column = found.get(columnName);
      if (column !== undefined) {
        for (let index = 0; index < columnData.length; index += 1) {
          column.values[rowStart + index] = columnData[index];
        }
        column.count += columnData.length;
      }
    },
  });
  const incomplete = present.find((name) => found.get(name)?.count !== rows);
  if (incomplete !== undefined) {
    throw new Error(`the column ${incomplete} is incomplete`);
  }
  return { rows, columns: Object.fromEntries([...found].map(([name, { values }]) => [name, values])) as never };
}
