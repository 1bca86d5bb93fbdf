import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Product } from "../../src/contract/product.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

/** Prices of two days at the ends of what DECIMAL(18, 4) stores, and discounts far outside of a percentage. */
const ROWS: Product[] = (
  [
    ["dear", 60_000_000_000_000, 90_000_000_000_000, "IDR", 12.5],
    ["from-the-other-end", -60_000_000_000_000, 90_000_000_000_000, "IDR", 25],
    ["from-almost-nothing", 0.001, 1_000_000_000, "IDR", -1_499_900],
    ["much-dearer-than-its-mrp", 150, 140, "EUR", -1e300],
    ["discount-of-millions", 150, 150, "EUR", 1e300],
    ["usual", 100, 80, "EUR", 20],
  ] as const
).flatMap(([sku, before, now, currency, discount_pct]) =>
  ["alder", "birch"].flatMap((retailer) =>
    [before, now].map((selling_price, at) =>
      product({
        sku,
        retailer,
        currency,
        selling_price,
        discount_pct,
        crawl_date: at === 0 ? "2026-01-20" : "2026-01-28",
      }),
    ),
  ),
);

const NOW = Date.parse("2026-01-29T08:00:00Z");
const onEnd = afterAllTests();
let folder: string;
let basket: string;
let rates: string;

beforeAll(async () => {
  folder = await syncedFolder(ROWS, onEnd);
  const files = await temporaryFolder(onEnd);
  basket = join(files, "basket.csv");
  await writeFile(basket, "sku,quantity\ndear,999999\nusual,2\n");
  rates = join(files, "rates.csv");
  await writeFile(rates, "currency,rate\nIDR,0.000055\n");
});

async function rowsOf(...args: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await runInProcess([...args, "-f", "json"], { now: () => NOW });
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

test("history shows no list price that has too many digits, rather than zero", async () => {
  const folder = await syncedFolder([product({ sku: "s", mrp: 1e15, selling_price: 9 })]);
  const page = `${folder}.html`;
  const { stdout } = await runInProcess(["history", "s", folder, "-f", "table", "--html", page]);
  expect(stdout.split("\n").at(-2)).toMatch(/^2026-01-15 +9\.00 +25 +EUR +lowest$/);
  expect(await readFile(page, "utf8")).toContain('data-label="List price"><span></span>');
});

test("differences and percentages of prices at both ends are exact", async () => {
  const changes = await rowsOf("diff", folder, "--include-suspect", "--retailer", "alder");
  expect(Object.fromEntries(changes.map(({ sku, difference, percent }) => [sku, [difference, percent]]))).toEqual({
    dear: [30_000_000_000_000, 50],
    "from-almost-nothing": [999_999_999.999, 99_999_999_999_900],
    "from-the-other-end": [150_000_000_000_000, -250],
    "much-dearer-than-its-mrp": [-10, -6.666667],
    usual: [-20, -20],
  });
});

test("discounts of a million percent and more are in no share and in no mean", async () => {
  for (const over of [[], ["--by", "week", "--start-date", "2026-01-26"]]) {
    const groups = await rowsOf("latest", folder, "--group-by", "retailer", "--category", "lamps", ...over);
    expect(groups.reduce((sum, { discounted_products }) => sum + Number(discounted_products), 0)).toBe(6);
  }
});

test("a basket of such prices has a value", async () => {
  const [row] = await rowsOf(
    "index",
    basket,
    folder,
    "--retailer",
    "alder",
    "--date",
    "2026-01-28",
    "--base",
    "2026-01-20",
  );
  expect(row).toMatchObject({ currency: "EUR", index: 80, basket_value: 160 });
});

test("large prices are converted", async () => {
  const compared = await rowsOf("compare", folder, "--by", "sku", "--rates", rates, "--currency", "EUR");
  expect(compared.find(({ sku }) => sku === "dear")).toMatchObject({ cheapest_price: 4_950_000_000, retailers: 2 });
});

test.each(["movers", "latest", "report"])("%s answers", async (command) => {
  await rowsOf(command, folder, "--include-suspect");
});

test("a large price keeps its decimals", async () => {
  const prices = [12_345_678_901_234.5, 12_345_678_901_234.25];
  const rows = prices.map((selling_price, at) => product({ sku: "huge", selling_price, crawl_date: `2026-01-2${at}` }));
  const large = await syncedFolder(rows);
  const { stdout } = await runInProcess(["history", "huge", large, "--columns", "selling_price", "-f", "csv"]);
  expect(stdout.split("\r\n").slice(1, 3)).toEqual(["12345678901234.5", "12345678901234.25"]);
});
