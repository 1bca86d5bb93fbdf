import fc from "fast-check";
import { expect, test } from "vitest";
import { type Filters, formatRcd, type Rcd } from "../../../../src/contract/filters.ts";
import type { Product } from "../../../../src/contract/product.ts";
import type { Visibility } from "../../../../src/service/store/store.ts";
import { product } from "../../../helpers/products.ts";
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
        expect(snapshot.combinations(visible)).toEqual(vocabulary(all, visible));
        for (const set of sets) {
          const selection = snapshot.select(set, visible);
          const walked: unknown[] = [];
          for (let offset = 0; offset < selection.total; offset += size) {
            walked.push(...(await textsOf(store, selection.ids(offset, size))).map((text) => JSON.parse(text)));
          }
          const expected = search(all, set, visible);
          expect({ walked, total: selection.total, coverage: selection.coverage, summary: selection.summary }).toEqual({
            walked: expected,
            total: expected.length,
            ...count(all, expected),
          });
        }
        await store.close();
      },
    ),
    { numRuns: 40 },
  );
});

test("an id beyond the last row matches no row", async () => {
  const store = await testStore();
  await load(store, [product()]);
  const selection = (await store.snapshot(NO_DEADLINE)).select({}, null);
  expect([...selection.ids(1, 500), ...selection.ids(5_000_000_000, 1)]).toEqual([]);
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
