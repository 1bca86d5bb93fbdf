import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Coverage, CoverageSummary } from "../../../src/contract/coverage.ts";
import { type Filters, formatRcd, type Rcd } from "../../../src/contract/filters.ts";
import type { Product } from "../../../src/contract/product.ts";
import type { Visibility } from "../../../src/service/store/store-types.ts";
import { DATABASE_RUNS } from "../../helpers/databases.ts";
import { product } from "../../helpers/products.ts";
import { startTestService } from "../../helpers/service.ts";
import { NO_DEADLINE, textsOf } from "../store/stores.ts";

const retailers = ["acme", "bolt", "chez-é"];
const categories = ["lamps", "kettles", "😀"];
const departments = ["home", "kitchen"];
const days = ["0001-01-01", "2025-12-31", "2026-01-01", "2026-01-02", "2026-02-01", "9999-12-31"];
const retailer = fc.constantFrom(...retailers);
const category = fc.constantFrom(...categories);
const department = fc.constantFrom(...departments);
const day = fc.constantFrom(...days);
// Code units and UTF-8 bytes order the last two differently.
const sku = fc.constantFrom("10", "2", "B", "a", "a\u0000b", "\uff5e", "😀");

const someRows = fc.array(fc.record({ sku, retailer, category, department, crawl_date: day, product_id: fc.uuid() }), {
  maxLength: 30,
});

const someFilters: fc.Arbitrary<Filters> = fc
  .record(
    {
      retailer,
      category,
      department,
      triples: fc.array(fc.record({ retailer, category, department }), { minLength: 1, maxLength: 3 }),
      dates: fc.tuple(day, day),
    },
    { requiredKeys: [] },
  )
  .map(({ triples, dates, ...slugs }) => {
    const [start_date, end_date] = dates?.toSorted() ?? [];
    return {
      ...slugs,
      ...(triples && { rcd: triples.map(formatRcd).join(",") }),
      ...(start_date && { start_date }),
      ...(end_date && { end_date }),
    };
  });

/** Two rows of each combination and day: all filters are in the vocabulary, and samples leave rows out. */
const FIRST_ROWS = retailers.flatMap((retailer) =>
  categories.flatMap((category) =>
    departments.flatMap((department) =>
      days.flatMap((crawl_date) =>
        ["0", "é"].map((sku) => product({ retailer, category, department, crawl_date, sku, product_id: randomUUID() })),
      ),
    ),
  ),
);

/** What teams can see. */
const VIEWS: Visibility[] = [null, ["acme"], ["chez-é", "bolt"]];

/** The rows are loaded one set after the other. Pages of few rows are sorted, and of many read along an index. */
test("coverage, totals, samples and walks agree with an independent computation over the same rows, for each team", async () => {
  const service = await startTestService({ rows: FIRST_ROWS, rateLimit: 1e6, sampleRateLimit: 1e6 });
  const keys = await Promise.all(
    VIEWS.map((view, index) => service.createKey({ name: `${index}`, team: `${index}`, retailers: view })),
  );
  const rows = [...FIRST_ROWS];

  await fc.assert(
    fc.asyncProperty(
      someRows,
      fc.array(fc.record({ filters: someFilters, view: fc.nat(VIEWS.length - 1) }), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 30 }),
      async (more, requests, limit) => {
        const added = more.map((given) => product(given));
        rows.push(...added);
        await service.addRows(added);
        for (const { filters, view } of requests) {
          const visible = VIEWS[view] ?? null;
          const named = [
            filters.retailer ?? [],
            filters.rcd?.split(",").map((triple) => triple.split(":")[0]) ?? [],
          ].flat();
          if (named.some((name) => visible !== null && !visible.includes(name ?? ""))) {
            continue;
          }
          const get = async (operation: string, others: Record<string, string> = {}) => {
            const query = new URLSearchParams({ ...filters, ...others });
            return (await service.get(`/v1/${operation}?${query}`, { key: keys[view] ?? null })).body;
          };
          const matching = search(rows, filters, visible);
          const expected = coverageOf(matching, rows);

          const coverage = await get("coverage");
          expect({ data: coverage.data, summary: coverage.meta.coverage }).toEqual(expected);
          expectSpread((await get("sample")).data, matching, 100);
          const selection = await (await service.store.snapshot(NO_DEADLINE)).select(filters, visible);
          const few = textsOf(await selection.sample(7)).map((text) => JSON.parse(text) as Product);
          expectSpread(few, matching, 7);

          const walked: Product[] = [];
          let cursor: string | null = "";
          while (cursor !== null) {
            const page = await get("catalog", { limit: String(limit), ...(cursor !== "" && { cursor }) });
            walked.push(...page.data);
            expect(page.pagination.total_matching).toBe(matching.length);
            cursor = page.pagination.next_cursor;
          }
          expect(walked).toEqual(matching);

          // The cursor of another set is a position in this one.
          const { body: other } = await service.get(`/v1/catalog?limit=${limit}`);
          if (other.pagination.has_more) {
            const page = await get("catalog", { limit: String(limit), cursor: other.pagination.next_cursor });
            expect(page.data).toEqual(matching.slice(limit, 2 * limit));
          }
        }
      },
    ),
    { numRuns: DATABASE_RUNS },
  );
});

/** The rows that match, by sku, retailer, crawl date and product id in the order of UTF-8 bytes. */
function search(all: readonly Product[], set: Filters, visible: Visibility): Product[] {
  const { start_date = "", end_date = "9999-12-31" } = set;
  return all
    .filter((row) => visible === null || visible.includes(row.retailer))
    .filter((row) =>
      (["retailer", "category", "department"] as const).every((name) => (set[name] ?? row[name]) === row[name]),
    )
    .filter((row) => set.rcd === undefined || set.rcd.split(",").includes(formatRcd(row)))
    .filter((row) => row.crawl_date >= start_date && row.crawl_date <= end_date)
    .sort((one, other) => byBytes(one, other, ["sku", "retailer", "crawl_date", "product_id"]));
}

function byBytes<T extends object>(one: T, other: T, fields: readonly (keyof T)[]): number {
  const orders = fields.map((field) => Buffer.compare(Buffer.from(`${one[field]}`), Buffer.from(`${other[field]}`)));
  return orders.find((order) => order !== 0) ?? 0;
}

function coverageOf(
  matching: readonly Product[],
  all: readonly Product[],
): { data: Coverage[]; summary: CoverageSummary } {
  const combinations = new Map(matching.map((row): [string, Rcd] => [formatRcd(row), row]));
  const data = [...combinations]
    .map(([rcd, { retailer, category, department }]) => {
      const days = daysOf(matching.filter((row) => formatRcd(row) === rcd));
      return {
        ...{ retailer, category, department, rcd },
        corpus_rows: all.filter((row) => formatRcd(row) === rcd).length,
        matching_rows: days.length,
        earliest_date: days[0] ?? "",
        latest_date: days.at(-1) ?? "",
      };
    })
    .sort((one, other) => byBytes(one, other, ["retailer", "department", "category"]));
  const days = daysOf(matching);
  const summary = {
    combinations: data.length,
    matching_rows: matching.length,
    corpus_rows: data.reduce((sum, { corpus_rows }) => sum + corpus_rows, 0),
    earliest_date: days[0] ?? null,
    latest_date: days.at(-1) ?? null,
  };
  return { data, summary };
}

function daysOf(rows: readonly Product[]): string[] {
  return rows.map((row) => row.crawl_date).sort();
}

/** Expects at most `most` rows in their order, of each combination and day its share. */
function expectSpread(sample: readonly Product[], all: readonly Product[], most: number): void {
  const ids = new Set(sample.map(({ product_id }) => product_id));
  expect(ids.size).toBe(Math.min(all.length, most));
  expect(sample).toEqual(all.filter(({ product_id }) => ids.has(product_id)));
  const cellOf = (row: Product) => `${formatRcd(row)} ${row.crawl_date}`;
  const wrong = [...new Set(all.map(cellOf))].filter((cell) => {
    const rows = all.filter((row) => cellOf(row) === cell).length;
    const sampled = sample.filter((row) => cellOf(row) === cell).length;
    return Math.abs(sampled - (rows * sample.length) / all.length) >= 1;
  });
  expect(wrong).toEqual([]);
}
