import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { parquetRows } from "../helpers/parquet-files.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

type Facts = readonly [day: string, retailer: string, sku: string, price: number, discount: number, brand: string];

const ROWS = (
  [
    ["2026-01-01", "acme", "a1", 19.9, 0.1, "Osram"],
    ["2026-01-01", "acme", "a2", 30, 0, "Osram"],
    ["2026-01-01", "bolt", "b1", 7, 50, "OSRAM"],
    ["2026-01-05", "acme", "a2", 28, 0.2, "Osram"],
    ["2026-01-05", "acme", "a2", 29, 0.9, "Osram"],
    ["2026-01-09", "acme", "a1", 21.5, 0.1, "Osram"],
    ["2026-01-09", "acme", "a3", 5, 0, "Philips"],
  ] satisfies readonly Facts[]
).map(([crawl_date, retailer, sku, selling_price, discount_pct, brand], index) =>
  product({ product_id: `p${index}`, crawl_date, retailer, sku, selling_price, discount_pct, brand, mrp: 40 }),
);

const NOW = Date.parse("2026-01-10T23:00:00Z");
const onEnd = afterAllTests();
let folder: string;
beforeAll(async () => {
  folder = await syncedFolder(ROWS, onEnd);
});

const run = (...args: string[]) => runInProcess(["latest", folder, ...args], { now: () => NOW });
const csvOf = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args, "-f", "csv");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.trimEnd().split("\r\n").slice(1);
};
const COLUMNS = ["--columns", "retailer,sku,selling_price,crawl_date,days_old"];

test("--fail-if notices that there is nothing", async () => {
  const none = ["--retailer", "bolt", "--start-date", "2026-01-05"];
  const codes = async (condition: string) => (await run(...none, "--fail-if", condition)).code;
  expect([await codes("count < 1"), await codes("count = 0")]).toEqual([EXIT.condition, EXIT.condition]);
  expect([await codes("count > 0"), await codes("count < 1 and days_old < 1")]).toEqual([0, 0]);
  expect(await run(...none, "--fail-if", "count < 1")).toMatchObject({
    stderr: "error: count < 1 holds: there is no product\n",
  });
});

test("each product has the cheapest row of its newest day, with the age of that day", async () => {
  expect(await csvOf(...COLUMNS)).toEqual([
    "acme,a1,21.5,2026-01-09,1",
    "acme,a2,28,2026-01-05,5",
    "acme,a3,5,2026-01-09,1",
    "bolt,b1,7,2026-01-01,9",
  ]);
});

test("ages count to --end-date, and --max-age leaves out what is older", async () => {
  expect(await csvOf(...COLUMNS, "--max-age", "3d")).toEqual(["acme,a1,21.5,2026-01-09,1", "acme,a3,5,2026-01-09,1"]);
  expect(await csvOf(...COLUMNS, "--max-age", "4d", "--end-date", "2026-01-05")).toEqual([
    "acme,a1,19.9,2026-01-01,4",
    "acme,a2,28,2026-01-05,0",
    "bolt,b1,7,2026-01-01,4",
  ]);
});

test("with several retailers and --end-date latest, the ages of each count to its own newest day", async () => {
  const named = ["--retailer", "acme,bolt", "--end-date", "latest", "--max-age", "0d"];
  expect(await csvOf(...COLUMNS, ...named)).toEqual([
    "acme,a1,21.5,2026-01-09,0",
    "acme,a3,5,2026-01-09,0",
    "bolt,b1,7,2026-01-01,0",
  ]);
});

test("filters decide which rows there are, before the newest of them counts", async () => {
  expect(await csvOf(...COLUMNS, "--brand", "osram", "--retailer", "bolt")).toEqual(["bolt,b1,7,2026-01-01,9"]);
  expect(await csvOf(...COLUMNS, "--brand", "philips")).toEqual(["acme,a3,5,2026-01-09,1"]);
  expect(await csvOf(...COLUMNS, "--rcd", "acme:lamps:home", "--date", "2026-01-01")).toEqual([
    "acme,a1,19.9,2026-01-01,0",
    "acme,a2,30,2026-01-01,0",
  ]);
  expect(await run("--brand", "osrma")).toMatchObject({
    code: EXIT.notFound,
    stderr: expect.stringContaining('has no product of the brand "osrma".'),
  });
});

test("--sort knows the words of a person for its columns", async () => {
  expect(await csvOf("--columns", "sku,selling_price", "--sort", "price:desc", "-n", "2")).toEqual([
    "a2,28",
    "a1,21.5",
  ]);
  expect(await csvOf("--columns", "sku", "--sort", "age", "-n", "1")).toEqual(["b1"]);
  expect(await csvOf("--columns", "sku", "--sort", "age:ASC", "-n", "1")).toEqual(["a1"]);
});

test("--group-by counts the discounted products of each, with exact decimals", async () => {
  expect(await csvOf("--group-by", "brand")).toEqual(["Osram,3,3,100,16.766667", "Philips,1,0,0,"]);
  expect(await csvOf("--group-by", "retailer")).toEqual(["acme,3,2,66.666667,0.15", "bolt,1,1,100,50"]);
  expect(await csvOf("--group-by", "category", "--max-age", "3d")).toEqual(["lamps,2,1,50,0.1"]);
  expect(await csvOf("--group-by", "brand", "--sort", "discounted_percent", "--columns", "brand,products")).toEqual([
    "Philips,1",
    "Osram,3",
  ]);
});

test("a table of groups ends with all products, and shows one decimal", async () => {
  const { stdout } = await run("--group-by", "retailer", "-f", "table", "-n", "1");
  expect(stdout.replace(/ +/g, " ").replace(/─+ ?/g, "─")).toBe(
    [
      "retailer products discounted discounted % mean discount %",
      "─────",
      "acme 3 2 66.7 0.2",
      "─────",
      "total 4 3 75.0 16.8",
      "",
    ].join("\n"),
  );
});

test("Parquet keeps days as days and prices as numbers", async () => {
  const file = join(await temporaryFolder(), "latest.parquet");
  expect(await run(...COLUMNS, "--retailer", "bolt", "-o", file)).toMatchObject({ code: 0, stdout: "" });
  expect(await parquetRows(file)).toEqual([
    { retailer: "bolt", sku: "b1", selling_price: 7, crawl_date: "2026-01-01", days_old: "9" },
  ]);
});

test("filters that match nothing give an empty result", async () => {
  expect(await run("--date", "2026-01-03")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await csvOf("--date", "2026-01-03", "--group-by", "brand")).toEqual([]);
});

test.each([
  [["--group-by", "brand", "--columns", "sku"], 'there is no column "sku"'],
  [["--group-by", "brand", "--sort", "price"], '--sort: there is no column "price"'],
  [["--sort", "zzzzzz"], '--sort: there is no column "zzzzzz"; sort by one of price, '],
  [["--max-age", "7"], '--max-age "7" is not a number of days; write 0d to 99999d, such as 14d.'],
  [["--max-age", "123456d"], '--max-age "123456d" is not a number of days; write 0d to 99999d, such as 14d.'],
])("%j is refused", async (args, message) => {
  expect(await run(...args)).toMatchObject({ code: EXIT.usage, stdout: "", stderr: expect.stringContaining(message) });
});

test("the note below a table counts the days that the filters leave", async () => {
  const { stderr } = await run("--start-date", "2026-01-05", "-f", "table", "--verbose");
  expect(stderr).toContain("prices of 2 days, the newest 2026-01-09\n");
});

test("--by shows the prices that were known on the last day of each period", async () => {
  expect(await csvOf("--by", "week", "--columns", "currency,period,products,price_min,price_median,price_max")).toEqual(
    ["EUR,2025-12-29,3,7,19.9,30", "EUR,2026-01-05,4,5,14.25,28"],
  );
  expect(
    await csvOf("--group-by", "brand", "--by", "day", "--columns", "brand,period,products").then((all) => all.at(-1)),
  ).toBe("Philips,2026-01-09,1");
  expect(await run("--gone", "--by", "week")).toMatchObject({ code: EXIT.usage });
});

test("the reference price is that of the thirty days before the present price, however many days it has", async () => {
  const priced = Array.from({ length: 41 }, (_, index) =>
    product({ crawl_date: addDays("2026-01-01", index), selling_price: index < 35 ? 20 : 15, mrp: 40 }),
  );
  const columns = "selling_price,reference_price,real_discount_pct,reference_days";
  const args = ["latest", await syncedFolder(priced), "--columns", columns, "-f", "csv"];
  const { stdout } = await runInProcess(args, { now: () => Date.parse("2026-02-10T12:00:00Z") });
  expect(stdout.split("\r\n")[1]).toBe("15,20,25,30");
});

test.each([
  [[], "product"],
  [["--group-by", "brand"], "group"],
])("a person is told that a table of %j has no rows because nothing matches", async (args, noun) => {
  const empty = ["latest", folder, ...args, "--date", "2026-01-03"];
  const { stderr } = await runInProcess(empty, { now: () => NOW, columns: 80 });
  expect(stderr).toContain(`no ${noun} matches\n`);
});
