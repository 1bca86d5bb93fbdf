import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";

const COLUMN = "product_id";

/**
 * The `product_id` of each row of a Parquet file, undefined where that column is not in it; memory is the footer and
 * one row group of that column.
 */
export async function* idsOfParquet(path: string): AsyncGenerator<string | undefined, void, undefined> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const hasIds = metadata.schema.some(({ name }) => name === COLUMN);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    if (hasIds) {
      const rows = await parquetReadObjects({ file, metadata, columns: [COLUMN], rowStart, rowEnd });
      if (rows.length !== rowEnd - rowStart) {
        throw new Error(`rows ${rowStart} to ${rowEnd} hold ${rows.length} ids`);
      }
      yield* rows.map((row) => row[COLUMN] as string);
    } else {
      yield* Array.from<undefined>({ length: rowEnd - rowStart });
    }
    rowStart = rowEnd;
  }
}
