import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

const rows = [
  product({ retailer: "acme", sku: "a1", model_number: "MX 7", selling_price: 20 }),
  product({ retailer: "acme", sku: "a2", model_number: "MX 7", selling_price: 18 }),
  product({ retailer: "bolt", sku: "b1", model_number: " mx  7", selling_price: 24.5 }),
  product({ retailer: "casa-luz", sku: "c1", model_number: "MX 7", selling_price: 15, currency: "USD" }),
  product({ retailer: "casa-luz", sku: "c2", model_number: "MX 8", selling_price: 15 }),
  product({ retailer: "bolt", sku: "b2", model_number: "", selling_price: 1 }),
  product({ retailer: "casa-luz", sku: "c3", model_number: " ", selling_price: 1 }),
  // Not known any more on the newest day.
  product({ retailer: "bolt", sku: "b3", model_number: "MX 8", selling_price: 9, crawl_date: "2025-12-31" }),
];

/** Names of retailers that differ in case or have a quote; one of their products has no brand. */
const NAMED = [
  product({ retailer: "Shop", selling_price: 9 }),
  product({ retailer: "shop", selling_price: 7, brand: "" }),
  product({ retailer: 'o"neil', selling_price: 8 }),
];

async function compare(...args: string[]) {
  const { code, stdout, stderr } = await runInProcess(["compare", await syncedFolder(rows), ...args]);
  return { code, rows: recordsOf(stdout), stderr };
}

const mx7 = {
  ...{ model_number: "MX 7", currency: "EUR", retailers: 2, cheapest_retailer: "acme" },
  ...{ cheapest_price: 18, dearest_price: 24.5, spread_percent: 36.111111, price_acme: 18, price_bolt: 24.5 },
  "price_casa-luz": null,
};

describe("catalog compare", () => {
  test("puts the lowest known prices of one currency beside each other, whatever the case and the spaces of the key", async () => {
    expect(await compare()).toEqual({ code: 0, rows: [mx7], stderr: "" });
  });

  test("has a price of each retailer, whatever its name", async () => {
    const folder = await syncedFolder(NAMED);
    const run = (...args: string[]) => runInProcess(["compare", folder, ...args]);
    const { code, stdout, stderr } = await run();
    const prices = { price_Shop: 9, 'price_o"neil': 8, price_shop: 7 };
    expect({ code, stderr, stdout: JSON.parse(stdout) }).toEqual({
      code: 0,
      stderr: "",
      stdout: expect.objectContaining(prices),
    });
    const chosen = await run(
      "--columns",
      "price_shop,price_Shop",
      "--sort",
      "price_shop",
      "--fail-if",
      "price_shop > 8",
    );
    expect(chosen).toMatchObject({ code: 0, stdout: '{"price_shop":7,"price_Shop":9}\n' });
    expect((await run("--fail-if", "price_Shop > 8")).code).toBe(8);
    const { stdout: sql } = await run("--show-sql");
    expect(await runInProcess(["sql", "-", folder], { stdin: sql })).toMatchObject({ code: 0, stderr: "" });
  });

  test("counts older prices with --max-age none", async () => {
    const { rows } = await compare("--max-age", "none", "--columns", "model_number,price_bolt", "--sort", "price_bolt");
    expect(rows).toEqual([
      { model_number: "MX 8", price_bolt: 9 },
      { model_number: "MX 7", price_bolt: 24.5 },
    ]);
  });

  test("leaves out a key with an empty part, and compares each part", async () => {
    const { rows } = await compare("--by", "brand,title");
    expect(rows).toEqual([]);
    const named = ["compare", await syncedFolder(NAMED), "--by", "brand,title", "-f", "csv"];
    const { stdout } = await runInProcess(named);
    expect(stdout.split("\r\n")[1]).toBe('Brand,Title of sku-1,EUR,2,"o""neil",8,9,12.5,9,8,');
  });

  test("converts prices by --rates, and names currencies that have no rate", async () => {
    const folder = await temporaryFolder();
    const [rates, others] = [join(folder, "rates.csv"), join(folder, "others.csv")];
    await writeFile(rates, "Currency;Rate\nUSD;0.8123456\n");
    await writeFile(others, "currency,rate\nGBP,1.1\n");

    expect((await compare("--rates", rates, "--currency", "EUR")).rows).toEqual([
      {
        ...{ ...mx7, retailers: 3, cheapest_retailer: "casa-luz", cheapest_price: 12.185184 },
        ...{ spread_percent: 101.063849, "price_casa-luz": 12.185184 },
      },
    ]);
    const left = await compare("--rates", others, "--currency", "EUR");
    expect(left).toEqual({
      code: 0,
      rows: [mx7],
      stderr: `warning: 1 product in USD left out: ${others} has no rate for it\n`,
    });
  });

  test("rounds converted prices in a table by their decimal digits, and advises no rates if there are some", async () => {
    const rates = join(await temporaryFolder(), "rates.csv");
    await writeFile(rates, "currency,rate\nUSD,0.067\n");
    const args = ["compare", await syncedFolder(rows), "--rates", rates, "--currency", "EUR", "-f", "table"];
    const { stdout } = await runInProcess(args);
    // 1.005, of which a double is less.
    expect(stdout).toMatch(/^MX 7 +EUR +casa-luz +1\.01 +24\.50 /m);
    const { stderr } = await runInProcess([...args, "--retailer", "acme"], { columns: 80 });
    expect(stderr).toContain("no product is known at two retailers\n");
  });

  test.each([
    [
      "currency,rate\nUSD,0\n",
      ':2: rate: expected a number above 0 and below 1000000000 with at most nine decimals, such as 0.92, found "0"',
    ],
    [
      "currency,rate\nUSD,1234567890\n",
      ':2: rate: expected a number above 0 and below 1000000000 with at most nine decimals, such as 0.92, found "1234567890"',
    ],
    ["currency,rate\n,1\n", ':2: currency: expected a currency of three capital letters, such as EUR, found ""'],
    ["currency,rate\njpy,1\n", ':2: currency: expected a currency of three capital letters, such as EUR, found "jpy"'],
    [
      "currency,rate\nEU\u200bR,1\n",
      ':2: currency: expected a currency of three capital letters, such as EUR, found "EU\\u200bR"',
    ],
    ["currency,rate\nUSD,1\nUSD,2\n", ':3: expected each currency once, found "USD", which is already on line 2'],
    ["currency\nUSD\n", ":1: expected the columns currency and rate, found no rate"],
    ["currency,rate\n", " has no rate; write a line for each currency below the header, such as USD,0.92"],
  ])("refuses the rates %j", async (text, flaw) => {
    const rates = join(await temporaryFolder(), "rates.csv");
    await writeFile(rates, text);
    const { code, stderr } = await compare("--rates", rates, "--currency", "EUR");
    expect({ code, stderr }).toEqual({ code: 1, stderr: `error: ${rates}${flaw}\n` });
  });

  test("takes columns of retailers in conditions, and refuses one that the folder does not have", async () => {
    const held = await compare("--fail-if", "price_bolt > 24");
    const wrong = await compare("--sort", "price_blt");
    expect({ heldCode: held.code, heldStderr: held.stderr, wrongCode: wrong.code, wrongStderr: wrong.stderr }).toEqual({
      heldCode: 8,
      heldStderr: "error: price_bolt > 24 holds for 1 product: MX 7\n",
      wrongCode: 2,
      wrongStderr: expect.stringContaining('There is no column "price_blt": the retailers are acme, bolt, casa-luz.'),
    });
  });

  test.each([
    [["--rates", "rates.csv"], "--rates needs --currency"],
    [["--currency", "EUR"], "--currency needs --rates FILE"],
    [["--rates", "rates.csv", "--currency", "euro"], '--currency "euro" is not a currency'],
    [["--by", "price"], "--by"],
  ])("refuses %j", async (args, message) => {
    expect(await compare(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
