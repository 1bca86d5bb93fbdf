import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { addDays } from "../../../src/contract/values/day-arithmetic.ts";
import { fileGlob } from "../../../src/files/duckdb.ts";
import { placeOfDay } from "../../../src/folder/day-files.ts";
import { readSyncedFolder } from "../../../src/folder/folder-state.ts";
import { withFolderSql } from "../../../src/folder/sql/folder-session.ts";
import { viewStatements } from "../../../src/folder/sql/views.ts";
import { afterAllTests } from "../../helpers/endings.ts";
import { product } from "../../helpers/products.ts";
import { FIRST_DAY, rewriteDay, syncedFolder } from "../../helpers/synced-folder.ts";

const DAYS = Array.from({ length: 5 }, (_, day) => addDays(FIRST_DAY, day));

/** Several rows of a product on a day, equal lowest prices, other currencies, and free. */
const PRICES = [
  { crawl_date: DAYS[0], category: "lamps", selling_price: 20 },
  { crawl_date: DAYS[0], category: "chairs", selling_price: 19.99 },
  { crawl_date: DAYS[1], category: "lamps", selling_price: 17.99 },
  { crawl_date: DAYS[1], category: "chairs", selling_price: 17.99, currency: "USD" },
  { crawl_date: DAYS[2], category: "lamps", selling_price: 0, currency: "USD" },
  { crawl_date: DAYS[3], category: "lamps", selling_price: 3, currency: "USD" },
  { crawl_date: DAYS[4], category: "lamps", selling_price: 3, currency: "USD" },
] as const;

/** Percentages of 1/8, whose half a rounding may take either way, and one just below a half. */
const HALVES = [100, 100.125, 200.25, 200.54];

const ROWS = [
  ...PRICES.map((row) => product({ ...row, sku: "s0", mrp: 40 } as Parameters<typeof product>[0])),
  ...HALVES.map((selling_price, day) =>
    product({ crawl_date: DAYS[day] as string, sku: "s1", retailer: "bolt", selling_price, mrp: 300 }),
  ),
];

const onEnd = afterAllTests();
let folder: string;
beforeAll(async () => {
  folder = await syncedFolder(ROWS, onEnd);
});

/** The values of the rows of a query. */
async function answer(sql: string, from = folder): Promise<unknown[][]> {
  const state = await readSyncedFolder(from);
  const { signal } = new AbortController();
  return await withFolderSql({ folder: from, state, lastDay: DAYS.at(-1) ?? "", signal }, async (session) => {
    const found: unknown[][] = [];
    for await (const rows of (await session.query(sql)).rows) {
      found.push(...rows.map((row) => row.map((text) => JSON.parse(text))));
    }
    return found;
  });
}

test("rows have the columns of a product in order, with their types and values", async () => {
  const described = (await answer("select column_name, column_type from (describe rows)")).map((row) => row.join(" "));
  expect(described).toEqual([
    ...[
      "product_id",
      "sku",
      "url",
      "domain",
      "retailer",
      "department",
      "category",
      "brand",
      "model_number",
      "title",
    ].map((name) => `${name} VARCHAR`),
    ...["mrp", "selling_price", "discount_pct"].map((name) => `${name} DOUBLE`),
    ...["currency", "color", "image_url"].map((name) => `${name} VARCHAR`),
    "crawl_date DATE",
  ]);
  const byId = (one: unknown[], other: unknown[]) => (String(one[0]) < String(other[0]) ? -1 : 1);
  expect((await answer("from rows")).sort(byId)).toEqual(ROWS.map((row) => Object.values(row)).sort(byId));
});

test("days and combinations count the rows", async () => {
  expect(await answer("from days")).toEqual([
    [DAYS[0], 3, 2, 3],
    [DAYS[1], 3, 2, 3],
    [DAYS[2], 2, 2, 2],
    [DAYS[3], 2, 2, 2],
    [DAYS[4], 1, 1, 1],
  ]);
  expect(await answer("from combinations")).toEqual([
    ["acme", "chairs", "home", 2, 1, DAYS[0], DAYS[1]],
    ["acme", "lamps", "home", 5, 1, DAYS[0], DAYS[4]],
    ["bolt", "lamps", "home", 4, 1, DAYS[0], DAYS[3]],
  ]);
});

test("prices_daily has the observation of each product and day: no free rows, one currency, the cheapest row", async () => {
  const sql = "select crawl_date, category, selling_price, currency from prices_daily where sku = 's0' order by 1";
  expect(await answer(sql)).toEqual([
    [DAYS[0], "chairs", 19.99, "EUR"],
    [DAYS[1], "lamps", 17.99, "EUR"],
    [DAYS[3], "lamps", 3, "USD"],
    [DAYS[4], "lamps", 3, "USD"],
  ]);
  const columns = "select column_name from (describe prices_daily)";
  expect(await answer(columns)).toEqual(await answer("select column_name from (describe rows)"));
});

test("latest has the newest row of each product, by the same rule", async () => {
  const sql = "select sku, crawl_date, category, selling_price, currency from latest order by 1";
  expect(await answer(sql)).toEqual([
    ["s0", DAYS[4], "lamps", 3, "USD"],
    ["s1", DAYS[3], "lamps", 200.54, "EUR"],
  ]);
});

test("changes compare each price with the one before it", async () => {
  const columns =
    "sku, crawl_date, category, currency, selling_price, previous_date, previous_price, previous_currency";
  expect(await answer(`select ${columns}, change, percent from changes order by sku, crawl_date`)).toEqual([
    ["s0", DAYS[1], "lamps", "EUR", 17.99, DAYS[0], 19.99, "EUR", -2, -10.005003],
    ["s0", DAYS[3], "lamps", "USD", 3, DAYS[1], 17.99, "EUR", null, null],
    ["s1", DAYS[1], "lamps", "EUR", 100.125, DAYS[0], 100, "EUR", 0.125, 0.125],
    ["s1", DAYS[2], "lamps", "EUR", 200.25, DAYS[1], 100.125, "EUR", 100.125, 100],
    ["s1", DAYS[3], "lamps", "EUR", 200.54, DAYS[2], 200.25, "EUR", 0.29, 0.144819],
  ]);
});

test("files of other versions have the day as a column, lack a column, or have one more", async () => {
  const old = await syncedFolder(ROWS);
  const [first = ""] = DAYS;
  await rewriteDay(old, first, (row) => ({ ...row, color: undefined, crawl_date: first }));
  await rewriteDay(old, DAYS[1] ?? "", (row) => ({ ...row, color: undefined }));
  await rewriteDay(old, DAYS[4] ?? "", (row) => ({ ...row, rating: "4" }));
  const sql = "select crawl_date, sku, color, selling_price from rows order by 1, 2, 4";
  expect(await answer(sql, old)).toEqual(await answer(sql));
  const two = `select distinct color from rows where crawl_date <= '${DAYS[1]}'`;
  expect(await answer(two, old)).toEqual([[null]]);
  const rated = "select crawl_date, rating from rows where rating is not null";
  expect(await answer(rated, old)).toEqual([[DAYS[4], "4"]]);
});

test("a path is read as it is, whatever its characters mean in patterns", () => {
  expect(fileGlob("/a[b]*/c?.parquet")).toBe("/a[[]b][*]/c[?].parquet");
  const [place] = DAYS.map((day) => join("/x/crawl_date=2001-01-01", placeOfDay(day)));
  expect(viewStatements([place ?? ""], FIRST_DAY).at(-1)).toContain(`= ['${place}'])`.slice(0, -1));
});
