import { expect, test } from "vitest";
import { readPage } from "../../src/service/store/product-rows/pages.ts";
import { products } from "../helpers/products.ts";
import { load, NO_DEADLINE, spied, testStore } from "../service/store/stores.ts";

test("a page of one retailer reads one partition, and one without a retailer all of them", async () => {
  const store = await testStore();
  await load(
    store,
    ["acme", "bolt", "chez"].flatMap((retailer) => products(9, { retailer })),
  );
  const snapshot = await store.snapshot(NO_DEADLINE);
  const partitionsOf = async (retailer: string | undefined, limit: number) => {
    const seen = new Map<string, string>();
    const { rows } = await snapshot.select(retailer === undefined ? {} : { retailer }, null);
    await store.read((session) => readPage(spied(session, seen), rows, { offset: 0 }, limit));
    return new Set([...seen.values()].join().match(/ on product_\d\b/g)).size;
  };
  // The second page is so large that its rows are sorted.
  expect([await partitionsOf("bolt", 2), await partitionsOf("bolt", 100), await partitionsOf(undefined, 2)]).toEqual([
    1, 1, 8,
  ]);
});
