import { expect, test } from "vitest";
import type { Filters } from "../../../../src/contract/filters.ts";
import type { Product } from "../../../../src/contract/product.ts";
import type { Session } from "../../../../src/service/store/database/database-session.ts";
import { createSnapshots } from "../../../../src/service/store/product-rows/snapshot.ts";
import { removeRows } from "../../../../src/service/store/product-rows/versions.ts";
import { StoreUnavailableError } from "../../../../src/service/store/store-types.ts";
import { product, products } from "../../../helpers/products.ts";
import { load, NO_DEADLINE, testStore, textsOf } from "../stores.ts";

const rowsOf = (bytes: Buffer) => textsOf(bytes).map((text) => JSON.parse(text) as Product);

test("rows that are counted but missing are an error, on a page and in a sample", async () => {
  const store = await testStore();
  await load(store, products(3));
  const selection = await (await store.snapshot(NO_DEADLINE)).select({}, null);
  await store.write((session) => session.query("DELETE FROM product WHERE sku = ?", [skuOf(session, "sku-0002")]));
  await expect(store.page(selection, { offset: 0 }, 3, NO_DEADLINE)).rejects.toThrow("where it counted");
  expect(rowsOf(await selection.sample(2))).toHaveLength(2);
  await store.write((session) => session.query("DELETE FROM product"));
  const again = await (await store.snapshot(NO_DEADLINE)).select({ retailer: "acme" }, null);
  await expect(again.sample(2)).rejects.toThrow("where it counted");
});

const skuOf = ({ dialect }: Session, sku: string) => dialect.sortedValue(sku);

/** How often new snapshots with caches of `cacheBytes` read for a sample. */
async function countReads(cacheBytes?: number) {
  const store = await testStore();
  await load(store, products(50));
  const { version } = await store.snapshot(NO_DEADLINE);
  let reads = 0;
  const snapshotOf = createSnapshots((_, work) => {
    reads += 1;
    return store.read(work);
  }, cacheBytes);
  return async (filters: Filters, times = 1) => {
    const before = reads;
    const sample = async () => (await (await snapshotOf(version)).select(filters, ["acme"])).sample(10);
    await Promise.all(Array.from({ length: times }, sample));
    return reads - before;
  };
}

test("what many requests ask for at once is read once, and later not again", async () => {
  const readsOf = await countReads();
  const dated = { start_date: "2026-01-01" };
  // The counts and a sample, then a sample by the same counts.
  expect([await readsOf({}, 20), await readsOf({}), await readsOf(dated, 20), await readsOf(dated)]).toEqual([
    2, 0, 1, 0,
  ]);
});

test("samples are kept up to a number of bytes, and the newest always", async () => {
  const readsOf = await countReads(1);
  const dated = { start_date: "2026-01-01" };
  expect([await readsOf({}), await readsOf({}), await readsOf(dated), await readsOf({})]).toEqual([2, 0, 1, 1]);
});

test("a change is counted by its own rows, whatever the others are", async () => {
  const store = await testStore();
  const kept = { retailer: "bolt", crawl_date: "2026-01-16" };
  await load(store, [...products(3), ...products(2, kept)]);
  const coverageOf = async () => (await (await store.snapshot(NO_DEADLINE)).select({}, null)).coverage();
  const before = await coverageOf();
  // Nobody reads them again.
  await store.write((session) => session.query("UPDATE combination SET days = '[]' WHERE retailer = 'bolt'"));
  await load(store, [product({ sku: "later", crawl_date: "2026-01-17" }), product({ retailer: "aldo" })]);
  const added = await coverageOf();
  await store.changeRows((session) => removeRows(session, { retailer: "acme", end_date: "2026-01-15" }));

  const counted = (entries: typeof before) =>
    entries.map((entry) => [entry.retailer, entry.matching_rows, entry.earliest_date, entry.latest_date]);
  const bolt = ["bolt", 2, "2026-01-16", "2026-01-16"];
  expect([counted(before), counted(added), counted(await coverageOf())]).toEqual([
    [["acme", 3, "2026-01-15", "2026-01-15"], bolt],
    [["acme", 4, "2026-01-15", "2026-01-17"], ["aldo", 1, "2026-01-15", "2026-01-15"], bolt],
    [["acme", 1, "2026-01-17", "2026-01-17"], ["aldo", 1, "2026-01-15", "2026-01-15"], bolt],
  ]);
});

test("a read that failed is tried again by the next request", async () => {
  const store = await testStore();
  const { version } = await store.snapshot(NO_DEADLINE);
  let isAway = true;
  const snapshotOf = createSnapshots((_, work) =>
    isAway ? Promise.reject(new StoreUnavailableError("away")) : store.read(work),
  );
  await expect(snapshotOf(version)).rejects.toThrow(StoreUnavailableError);
  isAway = false;
  expect((await snapshotOf(version)).version).toBe(version);
});

test("a sample is read once, at even distances in each combination and day", async () => {
  const store = await testStore();
  await load(store, [...products(7), ...products(6, { retailer: "bolt", crawl_date: "2026-01-16" })]);
  const selection = await (await store.snapshot(NO_DEADLINE)).select({}, null);
  const sampled = await selection.sample(3);
  // The rows 0, 4 and 8 of the 7 of one retailer and the 6 of the other.
  expect(rowsOf(sampled).map(({ sku, retailer }) => [sku, retailer])).toEqual([
    ["sku-0000", "acme"],
    ["sku-0001", "bolt"],
    ["sku-0004", "acme"],
  ]);
  expect(await selection.sample(3)).toBe(sampled);
});
