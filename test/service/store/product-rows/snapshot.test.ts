import fc from "fast-check";
import { expect, test } from "vitest";
import { type Filters, formatRcd, type Rcd } from "../../../../src/contract/filters.ts";
import type { Product } from "../../../../src/contract/product.ts";
import { createSnapshots } from "../../../../src/service/store/product-rows/snapshot.ts";
import { DamagedDataError, type Selection, type Visibility } from "../../../../src/service/store/store.ts";
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

/** Few rows: all ids are read at once. Many: each page reads its own. */
test.each([
  ["few", 60],
  ["many", 0],
])("a selection of %s rows gives the same rows as a plain search, in order, on every page", async (_, listedRows) => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.array(filters, { minLength: 1, maxLength: 4 }),
      visibility,
      fc.integer({ min: 1, max: 20 }),
      async (all, sets, visible, size) => {
        const store = await testStore();
        await load(store, all);
        const { version } = await store.snapshot(NO_DEADLINE);
        const snapshot = await createSnapshots(listedRows)(version, (work) => store.read(work));
        expect(snapshot.combinations(visible)).toMatchObject(vocabulary(all, visible));
        for (const set of sets) {
          const selection = await snapshot.select(set, visible);
          const { total, summary } = selection;
          const expected = search(all, set, visible);
          expect({ total, coverage: selection.coverage(), summary }).toEqual({
            total: expected.length,
            ...count(all, expected),
          });
          const [byRow, byOffset] = [await walkOf(selection, size, true), await walkOf(selection, size, false)];
          expect((await textsOf(store, byRow)).map((text) => JSON.parse(text))).toEqual(expected);
          expect(byOffset).toEqual(byRow);
          const sampled = await selection.spreadIds(7);
          expect(sampled.length).toBe(Math.min(total, 7));
          if (listedRows > 0) {
            expect(sampled).toEqual(evenly(byRow, 7));
          } else {
            expect(sampled).toEqual(byRow.filter((id) => sampled.includes(id)));
            expect(wrongShares(expected, (index) => sampled.includes(byRow[index] ?? 0))).toEqual([]);
          }
        }
        await store.close();
      },
    ),
    { numRuns: DATABASE_RUNS },
  );
});

/** The ids of all pages. Each but the first is found by the last row before it, or by its offset alone. */
async function walkOf(selection: Selection, size: number, isByRow: boolean): Promise<number[]> {
  const walked: number[] = [];
  while (walked.length < selection.total) {
    walked.push(...(await selection.ids(walked.length, size, isByRow ? walked.at(-1) : undefined)));
  }
  return walked;
}

function evenly(all: readonly number[], most: number): number[] {
  const length = Math.min(all.length, most);
  return Array.from({ length }, (_, index) => all[Math.floor((index * all.length) / length)] ?? 0);
}

/** Combinations and days of which a sample has not their share of the rows. */
function wrongShares(all: readonly Product[], isSampled: (index: number) => boolean): string[] {
  const cellOf = (row: Product) => `${formatRcd(row)} ${row.crawl_date}`;
  const size = all.filter((_, index) => isSampled(index)).length;
  return [...new Set(all.map(cellOf))].filter((cell) => {
    const rows = all.filter((row) => cellOf(row) === cell).length;
    const sampled = all.filter((row, index) => cellOf(row) === cell && isSampled(index)).length;
    return Math.abs(sampled - (rows * size) / all.length) >= 1;
  });
}

test("a position beyond the last row has no rows", async () => {
  const store = await testStore();
  await load(store, [product()]);
  for (const listedRows of [1, 0]) {
    const { version } = await store.snapshot(NO_DEADLINE);
    const snapshot = await createSnapshots(listedRows)(version, (work) => store.read(work));
    const { ids } = await snapshot.select({}, null);
    expect([...(await ids(1, 500)), ...(await ids(5_000_000_000, 1))]).toEqual([]);
  }
});

test("rows that are counted but missing are an error, on a page, in a list and in a sample", async () => {
  const store = await testStore();
  await load(store, products(3));
  const { version } = await store.snapshot(NO_DEADLINE);
  const snapshots = await Promise.all(
    [3, 0].map(async (listedRows) => await createSnapshots(listedRows)(version, (work) => store.read(work))),
  );
  await store.write((session) => session.query("DELETE FROM product WHERE sku = 'sku-0001'"));
  for (const snapshot of snapshots) {
    const { ids, spreadIds } = await snapshot.select({}, null);
    await expect(ids(0, 3)).rejects.toThrow(DamagedDataError);
    await expect(spreadIds(3)).rejects.toThrow(DamagedDataError);
  }
});

/** How often a new cache of `cacheBytes` reads for the first rows of a team. */
async function countReads(cacheBytes?: number) {
  const store = await testStore();
  await load(store, products(50));
  const { version } = await store.snapshot(NO_DEADLINE);
  const snapshotOf = createSnapshots(undefined, cacheBytes);
  let reads = 0;
  return async (retailers: string[], filters: Filters = {}) => {
    const snapshot = await snapshotOf(version, (work) => {
      reads += 1;
      return store.read(work);
    });
    const before = reads;
    await (await snapshot.select(filters, retailers)).ids(0, 1);
    return reads - before;
  };
}

test("the ids of a selection are read once", async () => {
  const readsOf = await countReads();
  expect([await readsOf(["acme", "bolt"]), await readsOf(["bolt", "acme"])]).toEqual([1, 0]);
});

test("selections and counts are kept up to a number of bytes, and the newest always", async () => {
  // Room for two selections, or for more than three counts of the one combination.
  const readsOf = await countReads(7_000);
  const teams = ["one", "two", "three"].map((other) => ["acme", other]);
  const reads = [];
  for (const team of [...teams, ...teams.slice(1), ...teams]) {
    reads.push(await readsOf(team));
  }
  expect(reads).toEqual([1, 1, 1, 0, 0, 1, 1, 1]);

  const cramped = await countReads(1);
  const dated = { start_date: "2026-01-01" };
  const counts = [];
  for (const filters of [dated, dated, {}, dated]) {
    counts.push(await cramped(["acme"], filters));
  }
  expect(counts).toEqual([2, 0, 1, 2]);
});

test("the sample of a selection that is not listed is read once, at even distances in each combination and day", async () => {
  const store = await testStore();
  await load(store, [...products(7), ...products(6, { retailer: "bolt", crawl_date: "2026-01-16" })]);
  const { version } = await store.snapshot(NO_DEADLINE);
  let reads = 0;
  const snapshot = await createSnapshots(0)(version, (work) => {
    reads += 1;
    return store.read(work);
  });
  const { ids, spreadIds } = await snapshot.select({}, null);
  // In the row order, both retailers take turns.
  const all = await ids(0, 13);
  const before = reads;
  const sampled = [await spreadIds(3), await spreadIds(3)];
  // The rows 0, 4 and 8 of the 7 of one retailer and the 6 of the other.
  const spread = [all[0], all[3], all[8]];
  expect([sampled, reads - before]).toEqual([[spread, spread], 1]);
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
