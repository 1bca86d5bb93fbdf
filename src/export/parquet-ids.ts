import { asyncBufferFromFile } from "hyparquet";
import { rowGroups } from "./parquet-groups.ts";

const COLUMN = "product_id";

/**
 * The `product_id` of each row of a Parquet file, undefined where that column is not in it; memory is the footer and
 * one row group of that column.
 */
export async function* idsOfParquet(path: string): AsyncGenerator<string | undefined, void, undefined> {
  for await (const rows of rowGroups(await asyncBufferFromFile(path), [COLUMN])) {
    yield* rows.map((row) => row[COLUMN] as string | undefined);
  }
}
