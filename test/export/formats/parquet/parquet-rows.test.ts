import type { AsyncBuffer } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, test } from "vitest";
import { columnChunks, rowGroups } from "../../../../src/export/formats/parquet/parquet-rows.ts";
import { product } from "../../../helpers/products.ts";

const RETAILERS = ["acme", "bolt", "\u{1f3ea}shop", "zeta"];

/** A file with a row group for each retailer. */
function file(): AsyncBuffer {
  const rows = RETAILERS.map((retailer, mrp) => ({ ...product({ retailer, mrp }), title: "\ufeffmarked" }));
  return parquetWriteBuffer({
    columnData: (["retailer", "sku", "title", "mrp"] as const).map((name) => ({
      name,
      data: rows.map((row) => row[name]),
    })),
    rowGroupSize: 1,
  });
}

async function read(columns: readonly string[]) {
  const groups: unknown[][] = [];
  for await (const rows of rowGroups(file(), columns)) {
    groups.push(rows);
  }
  return groups;
}

test("returns the chosen columns group by group, with byte order marks in texts", async () => {
  expect(await read(["retailer", "title"])).toEqual(RETAILERS.map((retailer) => [{ retailer, title: "\ufeffmarked" }]));
});

test("returns whole columns in the order of the rows", async () => {
  const columns = await columnChunks(file(), ["retailer", "mrp", "no such"]);
  expect(columns).toEqual({ rows: 4, columns: { retailer: RETAILERS, mrp: [0, 1, 2, 3] } });
});

test("returns rows without members if the file has none of the columns", async () => {
  expect(await read(["no such"])).toEqual(RETAILERS.map(() => [{}]));
});
