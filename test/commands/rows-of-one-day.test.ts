import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

// The cheapest row of a day is neither the first nor the last.
const ROWS = (
  [
    ["2026-01-01", [30, 20, 25]],
    ["2026-01-08", [18, 12, 15]],
  ] as const
).flatMap(([crawl_date, prices]) =>
  prices.map((selling_price, place) =>
    product({ product_id: `${crawl_date}-${place}`, crawl_date, sku: "lamp", selling_price, mrp: 40 }),
  ),
);

const onEnd = afterAllTests();
let folder: string;
let basket: string;
beforeAll(async () => {
  folder = await syncedFolder(ROWS, onEnd);
  basket = join(await temporaryFolder(onEnd), "basket.csv");
  await writeFile(basket, "sku,quantity\nlamp,1\n");
});

test.each([
  ["movers --only drop", "selling_price,before_selling_price", ["12,20"]],
  ["movers --only new_low", "selling_price,low_selling_price", ["12,20"]],
  ["latest", "selling_price", ["12"]],
  ["history lamp", "selling_price", ["20", "12"]],
  ["index BASKET", "crawl_date,basket_value", ["2026-01-01,20", "2026-01-08,12"]],
])("%s takes the cheapest of several rows of a product on one day", async (command, columns, expected) => {
  const args = command.split(" ").map((word) => (word === "BASKET" ? basket : word));
  const { code, stdout } = await runInProcess([...args, folder, "--columns", columns, "-f", "csv"]);
  expect([code, ...stdout.trimEnd().split("\r\n")]).toEqual([0, columns, ...expected]);
});

test.each([
  ["latest", ["12"]],
  ["prices_daily", ["20", "12"]],
])("the table %s of sql has the cheapest of several rows of a product on one day", async (table, expected) => {
  const query = `select selling_price from ${table} order by crawl_date`;
  const { code, stdout } = await runInProcess(["sql", query, folder, "-f", "csv"]);
  expect([code, ...stdout.trimEnd().split("\r\n")]).toEqual([0, "selling_price", ...expected]);
});
