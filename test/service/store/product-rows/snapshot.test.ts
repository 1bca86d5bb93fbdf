import { expect, test } from "vitest";
import type { ColumnIndex } from "../../../../src/service/store/product-rows/column-index.ts";
import { createSnapshots } from "../../../../src/service/store/product-rows/snapshot.ts";

const ROWS = 1000;

/** Rows of the years 2001 to 3000, one a year. */
const index: ColumnIndex = {
  version: 1,
  vocabulary: [{ retailer: "acme", category: "lamps", department: "home" }],
  extents: new Map([
    [1, { lastId: ROWS - 1, place: 2, rows: ROWS }],
    [0, { lastId: 9, place: 1, rows: 10 }],
    [-1, { lastId: 9, place: 0, rows: 11 }],
  ]),
  ids: Uint32Array.from({ length: ROWS }, (_, row) => row),
  combinations: new Uint32Array(ROWS),
  days: Uint32Array.from({ length: ROWS }, (_, row) => (2001 + row) * 10_000 + 101),
  removals: new Uint32Array(),
};

test("a selection is computed once for the same filters and visibility, however they are written", () => {
  const { newest: snapshot } = createSnapshots(index);
  const first = snapshot.select({ retailer: "acme", start_date: "2002-01-01" }, ["acme", "bolt"]);
  expect(snapshot.select({ start_date: "2002-01-01", retailer: "acme" }, ["bolt", "acme"])).toBe(first);
  expect(snapshot.select({ retailer: "acme", start_date: "2002-01-01" }, null)).not.toBe(first);
});

test("selections beyond the bound are dropped, the least recently used first", () => {
  const { newest: snapshot } = createSnapshots(index, 15_000);
  const used = snapshot.select({ start_date: "2002-01-01" }, null);
  const unused = snapshot.select({ start_date: "2003-01-01" }, null);
  snapshot.select({ start_date: "2002-01-01" }, null);
  snapshot.select({ start_date: "2004-01-01" }, null);
  expect(snapshot.select({ start_date: "2002-01-01" }, null)).toBe(used);
  expect(snapshot.select({ start_date: "2003-01-01" }, null)).not.toBe(unused);
});

test("a selection larger than the whole bound is still kept until the next one", () => {
  const { newest: snapshot } = createSnapshots(index, 1);
  const large = snapshot.select({ start_date: "2002-01-01" }, null);
  expect(snapshot.select({ start_date: "2002-01-01" }, null)).toBe(large);
});

test("selections that match nothing count against the bound too", () => {
  const { newest: snapshot } = createSnapshots(index, 5_000);
  const first = snapshot.select({ retailer: "none-0" }, null);
  for (let other = 1; other <= 10; other += 1) {
    snapshot.select({ retailer: `none-${other}` }, null);
  }
  expect(snapshot.select({ retailer: "none-0" }, null)).not.toBe(first);
});

test("an earlier version keeps its rows, and a version without its rows does not exist", () => {
  const { newest, at } = createSnapshots(index);
  const [then, now] = [at(0)?.select({}, null), newest.select({}, null)];
  expect([then?.total, then?.summary.corpus_rows, now.total]).toEqual([10, 10, ROWS]);
  expect(then?.summary).toMatchObject({ earliest_date: "2001-01-01", latest_date: "2010-01-01" });
  expect([at(1) === newest, at(-1), at(7)]).toEqual([true, undefined, undefined]);
});
