import { expect, test } from "vitest";
import { combinationFilter } from "../../src/contract/filter-match.ts";
import type { Filters } from "../../src/contract/filters.ts";
import type { Session } from "../../src/service/store/database/database-session.ts";
import { type RowSet, readPage, readSampledRows } from "../../src/service/store/product-rows/pages.ts";
import { countsOn, readCounts } from "../../src/service/store/product-rows/row-counts.ts";
import { products } from "../helpers/products.ts";
import { load, NO_DEADLINE, spied, testStore } from "../service/store/stores.ts";

test("a page and a sample of one retailer read one partition, and a page without a retailer all of them", async () => {
  const store = await testStore();
  await load(
    store,
    ["acme", "bolt", "chez"].flatMap((retailer) => products(9, { retailer })),
  );
  const snapshot = await store.snapshot(NO_DEADLINE);
  const partitionsOf = async (filters: Filters, read: (session: Session, rows: RowSet) => Promise<unknown>) => {
    const seen = new Map<string, string>();
    const { rowSet } = await snapshot.select(filters, null);
    await store.read((session) => read(spied(session, seen), rowSet));
    return new Set([...seen.values()].join().match(/ on product_\d\b/g)).size;
  };
  const page = (limit: number) => (session: Session, rows: RowSet) => readPage(session, rows, { offset: 0 }, limit);
  const combinations = await store.read((session) => readCounts(session, snapshot.version));
  const bolt = { retailer: "bolt" };
  const sample = (session: Session, rows: RowSet) =>
    readSampledRows(session, rows, countsOn(rows.days, combinations.filter(combinationFilter(bolt))), 5);
  // The second page is so large that its rows are sorted.
  expect([
    await partitionsOf(bolt, page(2)),
    await partitionsOf(bolt, page(100)),
    await partitionsOf({}, page(2)),
  ]).toEqual([1, 1, 8]);
  expect(await partitionsOf(bolt, sample)).toBe(1);
});
