import fc from "fast-check";
import { expect, test } from "vitest";
import { type Filters, formatRcd, type Rcd } from "../../../../src/contract/filters.ts";
import type { Product } from "../../../../src/contract/product.ts";
import type { Session } from "../../../../src/service/store/database/database-session.ts";
import { createSnapshots, type Selection } from "../../../../src/service/store/product-rows/snapshot.ts";
import { removeRows } from "../../../../src/service/store/product-rows/versions.ts";
import {
  type RowPlace,
  type RowTexts,
  StoreUnavailableError,
  type Visibility,
} from "../../../../src/service/store/store.ts";
import type { WritableStore } from "../../../../src/service/store/writable-store.ts";
import { DATABASE_RUNS } from "../../../helpers/databases.ts";
import { product, products } from "../../../helpers/products.ts";
import { load, NO_DEADLINE, testStore, textsOf } from "../stores.ts";

const retailer = fc.constantFrom("acme", "bolt", "chez-é");
const category = fc.constantFrom("lamps", "kettles", "😀");
const department = fc.constantFrom("home", "kitchen");
const date = fc.constantFrom("0001-01-01", "2025-12-31", "2026-01-01", "2026-01-02", "2026-02-01", "9999-12-31");
// Code units and UTF-8 bytes order the last two differently.
const sku = fc.constantFrom("10", "2", "B", "a", "a\u0000b", "\uff5e", "😀");
const rcd: fc.Arbitrary<Rcd> = fc.record({ retailer, category, department });

const rows = fc
  .array(fc.record({ sku, retailer, category, department, crawl_date: date }), { maxLength: 60, size: "max" })
  .map((all) => all.map((given, index) => product({ ...given, product_id: `${(index * 7) % 64}-${index}` })));

const filters = fc
  .record(
    {
      retailer,
      category,
      department,
      triples: fc.array(rcd, { minLength: 1, maxLength: 3 }),
      dates: fc.tuple(date, date),
    },
    { requiredKeys: [] },
  )
  .map(({ triples, dates, ...rest }): Filters => {
    const [start_date, end_date] = dates?.toSorted() ?? [];
    return {
      ...rest,
      ...(triples && { rcd: triples.map(formatRcd).join(",") }),
      ...(start_date && { start_date }),
      ...(end_date && { end_date }),
    };
  });

const visibility: fc.Arbitrary<Visibility> = fc.option(fc.subarray(["acme", "bolt", "chez-é"]), { nil: null });

/** Pages of few rows are sorted, and of many read along the index of the row order. */
test("a selection gives the same rows as a plain search, in order, on every page", async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.array(filters, { minLength: 1, maxLength: 4 }),
      visibility,
      fc.integer({ min: 1, max: 20 }),
      async (all, sets, visible, size) => {
        const store = await testStore();
        await load(store, all);
        const snapshot = await store.snapshot(NO_DEADLINE);
        expect(snapshot.combinations(visible)).toMatchObject(vocabulary(all, visible));
        for (const set of sets) {
          const selection = await snapshot.select(set, visible);
          const { total, summary } = selection;
          const expected = search(all, set, visible);
          expect({ total, coverage: selection.coverage(), summary }).toEqual({
            total: expected.length,
            ...count(all, expected),
          });
          expect(await walkOf(store, selection, size, true)).toEqual(expected);
          expect(await walkOf(store, selection, size, false)).toEqual(expected);
          const sampled = rowsOf(await selection.sample(7));
          const ids = sampled.map(({ product_id }) => product_id);
          expect(ids.length).toBe(Math.min(total, 7));
          expect(sampled).toEqual(expected.filter(({ product_id }) => ids.includes(product_id)));
          expect(wrongShares(expected, sampled)).toEqual([]);
        }
        await store.close();
      },
    ),
    { numRuns: DATABASE_RUNS },
  );
});

const rowsOf = (texts: RowTexts) => textsOf(texts).map((text) => JSON.parse(text) as Product);

/** The rows of all pages. Each but the first is found by the last row before it, or by its offset alone. */
async function walkOf(store: WritableStore, selection: Selection, size: number, isByRow: boolean): Promise<Product[]> {
  const walked: Product[] = [];
  let after: RowPlace | undefined;
  while (walked.length < selection.total) {
    const page = await store.page(selection, { offset: walked.length, after }, size, NO_DEADLINE);
    walked.push(...rowsOf(page));
    after = isByRow ? page.last : undefined;
  }
  return walked;
}

/** Combinations and days of which a sample has not their share of the rows. */
function wrongShares(all: readonly Product[], sample: readonly Product[]): string[] {
  const cellOf = (row: Product) => `${formatRcd(row)} ${row.crawl_date}`;
  return [...new Set(all.map(cellOf))].filter((cell) => {
    const rows = all.filter((row) => cellOf(row) === cell).length;
    const sampled = sample.filter((row) => cellOf(row) === cell).length;
    return Math.abs(sampled - (rows * sample.length) / all.length) >= 1;
  });
}

test("a position beyond the last row has no rows", async () => {
  const store = await testStore();
  await load(store, [product()]);
  const selection = await (await store.snapshot(NO_DEADLINE)).select({}, null);
  for (const offset of [1, 5_000_000_000]) {
    expect(await store.page(selection, { offset }, 500, NO_DEADLINE)).toMatchObject({ count: 0, last: undefined });
  }
});

test("rows that are counted but missing are an error, on a page and in a sample", async () => {
  const store = await testStore();
  await load(store, products(3));
  const selection = await (await store.snapshot(NO_DEADLINE)).select({}, null);
  await store.write((session) => session.query("DELETE FROM product WHERE sku = ?", [skuOf(session, "sku-0002")]));
  await expect(store.page(selection, { offset: 0 }, 3, NO_DEADLINE)).rejects.toThrow("where it counted");
  await expect(selection.sample(2)).resolves.toMatchObject({ count: 2 });
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

function search(all: readonly Product[], set: Filters, visible: Visibility): Product[] {
  return all
    .filter((row) => visible === null || visible.includes(row.retailer))
    .filter((row) => set.retailer === undefined || row.retailer === set.retailer)
    .filter((row) => set.category === undefined || row.category === set.category)
    .filter((row) => set.department === undefined || row.department === set.department)
    .filter((row) => set.rcd === undefined || set.rcd.split(",").includes(formatRcd(row)))
    .filter((row) => set.start_date === undefined || row.crawl_date >= set.start_date)
    .filter((row) => set.end_date === undefined || row.crawl_date <= set.end_date)
    .sort((one, other) => byBytes(one, other, ["sku", "retailer", "crawl_date", "product_id"]));
}

function byBytes<T extends object>(one: T, other: T, fields: readonly (keyof T)[]): number {
  return (
    fields.map((field) => Buffer.compare(bytes(one[field]), bytes(other[field]))).find((order) => order !== 0) ?? 0
  );
}

function bytes(value: unknown): Buffer {
  return Buffer.from(String(value));
}

function vocabulary(all: readonly Product[], visible: Visibility): Rcd[] {
  const seen = new Map(search(all, {}, visible).map((row) => [formatRcd(row), row]));
  return [...seen.values()]
    .map(({ retailer, category, department }) => ({ retailer, category, department }))
    .sort((one, other) => byBytes(one, other, ["retailer", "department", "category"]));
}

function count(all: readonly Product[], matching: readonly Product[]) {
  const coverage = vocabulary(matching, null).map((combination) => {
    const rcd = formatRcd(combination);
    const dates = datesOf(matching.filter((row) => formatRcd(row) === rcd));
    return {
      ...combination,
      rcd,
      corpus_rows: all.filter((row) => formatRcd(row) === rcd).length,
      matching_rows: dates.length,
      earliest_date: dates[0],
      latest_date: dates.at(-1),
    };
  });
  const dates = datesOf(matching);
  const summary = {
    combinations: coverage.length,
    matching_rows: matching.length,
    corpus_rows: coverage.reduce((sum, { corpus_rows }) => sum + corpus_rows, 0),
    earliest_date: dates[0] ?? null,
    latest_date: dates.at(-1) ?? null,
  };
  return { coverage, summary };
}

function datesOf(matching: readonly Product[]): string[] {
  return matching.map((row) => row.crawl_date).sort();
}
