import type { AsyncBuffer } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, test } from "vitest";
import { columnChunks, rowGroups } from "../../src/export/parquet-groups.ts";
import { product } from "../helpers/products.ts";

const RETAILERS = ["acme", "bolt", "\u{1f3ea}shop", "zeta"];

/** A file with a row group for each retailer, and what was read of it. */
async function file(): Promise<{ buffer: AsyncBuffer; reads: () => number }> {
  const rows = RETAILERS.map((retailer, mrp) => ({ ...product({ retailer, mrp }), title: "\ufeffmarked" }));
  const bytes = parquetWriteBuffer({
    columnData: (["retailer", "sku", "title", "mrp"] as const).map((name) => ({
      name,
      data: rows.map((row) => row[name]),
    })),
    rowGroupSize: 1,
  });
  let reads = 0;
  const buffer: AsyncBuffer = {
    byteLength: bytes.byteLength,
    slice: (start, end) => {
      reads += 1;
      return bytes.slice(start, end);
    },
  };
  return { buffer, reads: () => reads };
}

async function read(columns: readonly string[], only?: { column: string; values: string[] }) {
  const { buffer, reads } = await file();
  const groups: unknown[][] = [];
  for await (const rows of rowGroups(buffer, columns, only)) {
    groups.push(rows);
  }
  return { groups, reads: reads() };
}

test("returns the chosen columns group by group, with byte order marks in texts", async () => {
  const { groups } = await read(["retailer", "title"]);
  expect(groups).toEqual(RETAILERS.map((retailer) => [{ retailer, title: "\ufeffmarked" }]));
});

test("returns whole columns in the order of the rows, whichever row group is read first", async () => {
  const { buffer } = await file();
  const held: (() => void)[] = [];
  // Before any row group is read, each column of each is looked over.
  let first = 2 * RETAILERS.length;
  const backwards: AsyncBuffer = {
    ...buffer,
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
  expect((await read(["no such"])).groups).toEqual(RETAILERS.map(() => [{}]));
});

test.each(RETAILERS)("does not read groups whose statistics exclude %s", async (retailer) => {
  const all = await read(["retailer", "sku"]);
  const { groups, reads } = await read(["retailer", "sku"], { column: "retailer", values: [retailer] });
  expect(groups.flat()).toEqual([{ retailer, sku: "sku-1" }]);
  expect(all.reads - reads).toBe(RETAILERS.length - 1);
});
