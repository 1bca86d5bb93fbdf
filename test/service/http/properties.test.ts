import fc from "fast-check";
import { expect, test } from "vitest";
import type { Coverage, CoverageSummary } from "../../../src/contract/coverage.ts";
import { type Filters, formatRcd } from "../../../src/contract/filters.ts";
import type { Product } from "../../../src/contract/product.ts";
import { DATABASE_RUNS } from "../../helpers/databases.ts";
import { product } from "../../helpers/products.ts";
import { startTestService, type TestService } from "../../helpers/service.ts";

const retailers = ["acme", "bolt"];
const categories = ["lamps", "chairs"];
const departments = ["home", "lights"];
const days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05"];

const someRow = fc.record({
  product_id: fc.uuid(),
  sku: fc.constantFrom("1", "2", "10", "a", "B", "é", "😀", "\uffee"),
  retailer: fc.constantFrom(...retailers),
  category: fc.constantFrom(...categories),
  department: fc.constantFrom(...departments),
  crawl_date: fc.constantFrom(...days),
});
const someFilters: fc.Arbitrary<Filters> = fc
  .record(
    {
      retailer: fc.constantFrom(...retailers),
      category: fc.constantFrom(...categories),
      department: fc.constantFrom(...departments),
      rcd: fc.constantFrom("acme:lamps:home", "bolt:chairs:lights,acme:lamps:home", "bolt:lamps:home,bolt:lamps:home"),
      start_date: fc.constantFrom(...days),
      end_date: fc.constantFrom(...days),
    },
    { requiredKeys: [] },
  )
  .filter(({ start_date = "", end_date = "9" }) => start_date <= end_date);

/** One early row of every combination, so that each filter above is in the vocabulary. */
const vocabulary = retailers.flatMap((retailer) =>
  categories.flatMap((category) =>
    departments.map((department) => {
      const combination = { retailer, category, department };
      return product({ ...combination, sku: "0", crawl_date: "2025-12-31", product_id: formatRcd(combination) });
    }),
  ),
);

test("coverage, totals, samples and walks agree with an independent computation over the same rows", async () => {
  const service = await startTestService({ rows: vocabulary, rateLimit: 1_000_000, sampleRateLimit: 1_000_000 });
  const rows = [...vocabulary];

  await fc.assert(
    fc.asyncProperty(
      fc.array(someRow, { maxLength: 20 }),
      someFilters,
      fc.integer({ min: 1, max: 30 }),
      async (more, filters, limit) => {
        const added = more.map((given) => product(given));
        rows.push(...added);
        await service.addRows(added);
        const matching = matches(rows, filters);
        const query = new URLSearchParams({ ...filters });

        const coverage = (await service.get(`/v1/coverage?${query}`)).body;
        expect(coverage.data).toEqual(coverageOf(matching, rows));
        expect(coverage.meta.coverage).toEqual(summaryOf(coverageOf(matching, rows)));
        const sample: Product[] = (await service.get(`/v1/sample?${query}`)).body.data;
        expect(sample).toEqual(spread(matching));
        expect(await walk(service, query, limit, matching.length)).toEqual(matching);
      },
    ),
    { numRuns: DATABASE_RUNS },
  );
});

/** The rows that match the filters, by sku, retailer, crawl date and product id in UTF-8 order. */
function matches(rows: readonly Product[], filters: Filters): Product[] {
  const { start_date = "", end_date = "9" } = filters;
  const key = (row: Product) => Buffer.from([row.sku, row.retailer, row.crawl_date, row.product_id].join("\0"));
  return rows
    .filter((row) =>
      (["retailer", "category", "department"] as const).every((name) => (filters[name] ?? row[name]) === row[name]),
    )
    .filter((row) => filters.rcd === undefined || filters.rcd.split(",").includes(formatRcd(row)))
    .filter((row) => row.crawl_date >= start_date && row.crawl_date <= end_date)
    .sort((one, other) => Buffer.compare(key(one), key(other)));
}

function coverageOf(matching: readonly Product[], rows: readonly Product[]): Coverage[] {
  const order = ({ retailer, department, category }: Product) => `${retailer} ${department} ${category}`;
  const sorted = [...matching].sort((one, other) => (order(one) < order(other) ? -1 : 1));
  return [...new Set(sorted.map(formatRcd))].map((rcd) => {
    const own = matching.filter((row) => formatRcd(row) === rcd);
    const dates = own.map(({ crawl_date }) => crawl_date).sort();
    const [retailer = "", category = "", department = ""] = rcd.split(":");
    return {
      retailer,
      department,
      category,
      rcd,
      corpus_rows: rows.filter((row) => formatRcd(row) === rcd).length,
      matching_rows: own.length,
      earliest_date: dates[0] ?? "",
      latest_date: dates.at(-1) ?? "",
    };
  });
}

function summaryOf(coverage: readonly Coverage[]): CoverageSummary {
  const sum = (name: "matching_rows" | "corpus_rows") => coverage.reduce((total, entry) => total + entry[name], 0);
  return {
    combinations: coverage.length,
    matching_rows: sum("matching_rows"),
    corpus_rows: sum("corpus_rows"),
    earliest_date: coverage.map(({ earliest_date }) => earliest_date).sort()[0] ?? null,
    latest_date:
      coverage
        .map(({ latest_date }) => latest_date)
        .sort()
        .at(-1) ?? null,
  };
}

function spread(rows: readonly Product[]): Product[] {
  return rows.length <= 100
    ? [...rows]
    : Array.from({ length: 100 }, (_, index) => rows[Math.floor((index * rows.length) / 100)] as Product);
}

async function walk(service: TestService, filters: URLSearchParams, limit: number, total: number): Promise<Product[]> {
  const query = new URLSearchParams([...filters, ["limit", String(limit)]]);
  const rows: Product[] = [];
  for (;;) {
    const { body } = await service.get(`/v1/catalog?${query}`);
    rows.push(...body.data);
    expect(body.pagination.total_matching).toBe(total);
    if (!body.pagination.has_more) {
      return rows;
    }
    query.set("cursor", body.pagination.next_cursor);
  }
}
