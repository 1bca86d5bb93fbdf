import type { AsyncBuffer } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, test } from "vitest";
import { columnChunks, rowGroups } from "../../../../src/output/formats/parquet/parquet-rows.ts";
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

test("returns whole columns in the order of the rows, whichever row group is read first", async () => {
  const buffer = file();
  const held: (() => void)[] = [];
  // Before any row group is read, each column of each is looked over.
  let first = 2 * RETAILERS.length;
  const backwards: AsyncBuffer = {
    byteLength: buffer.byteLength,
    slice: async (start, end = buffer.byteLength) => {
      const isFooter = end === buffer.byteLength;
      if (!isFooter && first-- <= 0) {
        await new Promise<void>((resolve) => {
          held.push(resolve);
          if (held.length === RETAILERS.length) {
            for (const release of held.toReversed()) {
              release();
            }
          }
        });
      }
      return await buffer.slice(start, end);
    },
  };

  const columns = await columnChunks(backwards, ["retailer", "mrp"]);

  expect(held).toHaveLength(RETAILERS.length);
  expect(columns).toEqual({ rows: 4, columns: { retailer: RETAILERS, mrp: [0, 1, 2, 3] } });
});

test("returns rows without members if the file has none of the columns", async () => {
  expect(await read(["no such"])).toEqual(RETAILERS.map(() => [{}]));
});
