import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Product } from "../../src/contract/product.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { FIRST_DAY, syncedFolder } from "../helpers/synced-folder.ts";

const DAYS = 12;
const dayAt = (index: number) => addDays(FIRST_DAY, index);

/** Prices of products on random days, some in two categories on one day; the discount follows from the price. */
const rowsOfFolder = fc
  .uniqueArray(
    fc.record({
      day: fc.integer({ min: 0, max: DAYS - 1 }),
      retailer: fc.constantFrom("acme", "bolt"),
      category: fc.constantFrom("lamps", "chairs"),
      sku: fc.integer({ min: 1, max: 12 }).map((number) => `s${number}`),
      price: fc.integer({ min: 1, max: 6 }),
    }),
    {
      minLength: 60,
      maxLength: 150,
      selector: ({ day, retailer, category, sku }) => [day, retailer, category, sku].join(),
    },
  )
  .map((rows): Product[] =>
    rows.map(({ day, retailer, category, sku, price }) =>
      product({
        ...{ crawl_date: dayAt(day), retailer, category, sku, mrp: 10, selling_price: price * 1.5 },
        discount_pct: price < 3 ? 40 : 0,
      }),
    ),
  );

const filters = fc.record(
  { retailer: fc.constantFrom("acme", "bolt"), category: fc.constantFrom("lamps", "chairs") },
  { requiredKeys: [] },
);
type Chosen = { retailer?: string; category?: string };

/** The rows as a table of DuckDB, by the same files that the tool reads. */
async function synced(rows: readonly Product[]) {
  const folder = await syncedFolder(rows);
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.runAndReadAll(`CREATE VIEW every_row AS FROM '${folder}/**/*.parquet'`);
  const days = [...new Set(rows.map(({ crawl_date }) => crawl_date))].sort();
  return {
    folder,
    days,
    answer: async (chosen: Chosen, sql: string) => {
      const conditions = Object.entries(chosen).map(([name, value]) => `${name} = '${value}'`);
      const rows = `WITH wanted AS (FROM every_row WHERE ${["true", ...conditions].join(" AND ")})`;
      return (await (await connection.runAndReadAll(`${rows} ${sql}`)).getRowsJson()).map(String).sort();
    },
    tool: async (chosen: Chosen, ...args: string[]) => {
      const flags = Object.entries(chosen).flatMap(([name, value]) => [`--${name}`, value]);
      const { code, stdout, stderr } = await runInProcess([...args, ...flags, "-f", "ndjson"]);
      expect([code, stderr]).toEqual([0, ""]);
      return stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}

const pick = (records: readonly Record<string, unknown>[], ...names: string[]) =>
  [...new Set(records.map((record) => String(names.map((name) => record[name]))))].sort();

/** Each run of a property writes a folder and asks two programs. */
const TIMEOUT = 240_000;

describe("equals the same question asked in SQL", { timeout: TIMEOUT }, () => {
  const runs = { numRuns: 12 };

  test("movers", async () => {
    await fc.assert(
      fc.asyncProperty(rowsOfFolder, filters, fc.nat(), async (rows, chosen, at) => {
        const { folder, answer, tool } = await synced(rows);
        const days = await answer(chosen, "SELECT DISTINCT crawl_date FROM wanted");
        fc.pre(days.length > 1);
        const since = days[at % (days.length - 1)] ?? "";
        const records = await tool(chosen, "movers", folder, "--since", since, "-n", "100000");
        const expected = await answer(
          chosen,
          `, d AS (SELECT retailer, sku, crawl_date, min(selling_price) AS price, arg_min(discount_pct, selling_price) AS discount
               FROM wanted GROUP BY ALL),
             n AS (SELECT retailer, sku, max(crawl_date) AS day, arg_max(price, crawl_date) AS price,
               arg_max(discount, crawl_date) AS discount FROM d GROUP BY ALL HAVING day > DATE '${since}'),
             b AS (SELECT retailer, sku, arg_max(price, crawl_date) AS price FROM d
               WHERE crawl_date <= DATE '${since}' GROUP BY ALL),
             l AS (SELECT retailer, sku, min(price) FILTER (crawl_date <= DATE '${since}') AS low,
               min(price) FILTER (crawl_date > DATE '${since}') AS new_low FROM d GROUP BY ALL)
           SELECT 'drop', n.retailer, n.sku, n.price FROM n JOIN b USING (retailer, sku) WHERE n.price < b.price
           UNION ALL SELECT 'rise', n.retailer, n.sku, n.price FROM n JOIN b USING (retailer, sku) WHERE n.price > b.price
           UNION ALL SELECT 'new_low', n.retailer, n.sku, n.price FROM n JOIN l USING (retailer, sku) WHERE new_low < low
           UNION ALL SELECT 'discount', retailer, sku, price FROM n WHERE discount > 0`,
        );
        expect(pick(records, "kind", "retailer", "sku", "selling_price")).toEqual(expected);
      }),
      runs,
    );
  });

  test("the rows of each day", async () => {
    const dates = fc.record(
      {
        "start-date": fc.integer({ min: 0, max: 5 }).map(dayAt),
        "end-date": fc.integer({ min: 5, max: 12 }).map(dayAt),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(rowsOfFolder, filters, dates, async (rows, chosen, bounds) => {
        const { folder, answer, tool } = await synced(rows);
        fc.pre((await answer(chosen, "SELECT * FROM wanted LIMIT 1")).length > 0);
        const bound = Object.entries(bounds).flatMap(([name, day]) => [`--${name}`, day]);
        const records = await tool(chosen, "coverage", "--from", folder, "--group-by", "day", ...bound);
        const { "start-date": first = "2000-01-01", "end-date": last = "2100-01-01" } = bounds;
        const expected = await answer(
          chosen,
          `SELECT crawl_date, count(DISTINCT retailer), count(DISTINCT (retailer, category, department)), count(*),
             current_date - crawl_date
           FROM wanted WHERE crawl_date BETWEEN DATE '${first}' AND DATE '${last}' GROUP BY ALL`,
        );
        const names = ["crawl_date", "retailers", "combinations", "matching_rows", "days_old"];
        expect(pick(records, ...names)).toEqual(expected);
        expect(records.map(({ crawl_date }) => crawl_date)).toEqual(
          records
            .map(({ crawl_date }) => String(crawl_date))
            .sort()
            .reverse(),
        );
      }),
      runs,
    );
  });

  test("history", async () => {
    const skus = fc.uniqueArray(
      fc.integer({ min: 1, max: 12 }).map((number) => `s${number}`),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(rowsOfFolder, filters, skus, async (rows, chosen, wanted) => {
        const { folder, answer, tool } = await synced(rows);
        const expected = await answer(
          chosen,
          `SELECT retailer, sku, crawl_date, min(selling_price) FROM wanted
           WHERE sku IN (${wanted.map((sku) => `'${sku}'`).join(", ")}) GROUP BY ALL`,
        );
        fc.pre(wanted.every((sku) => expected.some((row) => row.includes(`,${sku},`))));
        const records = await tool(chosen, "history", ...wanted, folder);
        expect(pick(records, "retailer", "sku", "crawl_date", "selling_price")).toEqual(expected);
      }),
      runs,
    );
  });
});
