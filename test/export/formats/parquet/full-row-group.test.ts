import { parquetMetadata } from "hyparquet";
import { expect, test } from "vitest";
import { parquetOf } from "./parquet-of.ts";

test("a row group of very long rows ends before it is full, wherever the batches end", async () => {
  const row = `{"title":"${"long ".repeat(100_000)}"}`;
  const full = Math.ceil((64 * 1024 * 1024) / row.length);
  const batches = [7, full, 3].map((count) => Array<string>(count).fill(row));
  const { row_groups } = parquetMetadata(await parquetOf(batches, { known: ["title"] }));
  expect(row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([full, 10]);
});
