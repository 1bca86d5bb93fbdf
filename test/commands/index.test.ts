import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

type Facts = readonly [day: number, retailer: string, sku: string, price: number, currency?: string];

const ROWS = (
  [
    [1, "acme", "a", 0.1],
    [1, "acme", "a", 0.3],
    [1, "acme", "b", 0.2],
    [2, "acme", "other", 5],
    [3, "acme", "a", 0.2],
    [3, "bolt", "a", 10],
    [5, "acme", "b", 0.1],
    [5, "acme", "c", 7],
    [5, "bolt", "a", 11],
    [6, "bolt", "a", 12, "USD"],
    [9, "acme", "other", 5],
    // One of these prices is suspect.
    ...([20, 20, 0.01, 20, 20].map((price, day) => [day + 1, "dim", "lamp", price]) as Facts[]),
  ] satisfies readonly Facts[]
).map(([day, retailer, sku, selling_price, currency = "EUR"], index) =>
  product({ product_id: `p${index}`, crawl_date: `2026-01-0${day}`, retailer, sku, selling_price, currency, mrp: 40 }),
);

const onEnd = afterAllTests();
let folder: string;
let home: string;
beforeAll(async () => {
  folder = await syncedFolder(ROWS, onEnd);
  home = await temporaryFolder(onEnd);
});

async function run(basket: string, ...args: string[]) {
  const file = join(home, "basket.csv");
  await writeFile(file, basket);
  return await runInProcess(["index", file, folder, ...args]);
}

async function csvOf(basket: string, ...args: string[]) {
  const { code, stdout, stderr } = await run(basket, ...args, "-f", "csv");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.trimEnd().split("\r\n").slice(1);
}

describe("catalog index", () => {
  test("compares what the basket costs by the last known prices of each day, with exact decimals", async () => {
    expect(await csvOf("sku,retailer,quantity\na,acme,2\nb,acme,1\n")).toEqual([
      "acme,2026-01-01,EUR,100,0.4,2,2,2026-01-01,0.4",
      "acme,2026-01-02,EUR,100,0.4,2,2,2026-01-01,0.4",
      "acme,2026-01-03,EUR,150,0.6,2,2,2026-01-01,0.4",
      "acme,2026-01-05,EUR,125,0.5,2,2,2026-01-01,0.4",
      "acme,2026-01-09,EUR,125,0.5,2,2,2026-01-01,0.4",
    ]);
    const thirds = ["--base", "2026-01-03", "--columns", "index,base_date", "--end-date", "2026-01-01"];
    expect(await csvOf("sku,retailer,quantity\na,acme,1\nb,acme,0.5\n", ...thirds)).toEqual(["66.666667,2026-01-03"]);
  });

  test("a line without a retailer means each that has the sku, in any order of columns and with any separator", async () => {
    const days = ["--columns", "retailer,crawl_date,index", "--end-date", "2026-01-05"];
    const expected = ["acme,2026-01-03,100", "acme,2026-01-05,100", "bolt,2026-01-03,100", "bolt,2026-01-05,110"];
    for (const basket of [
      "\ufeffQuantity; SKU ;title\r\n3;a;lamp\r\n",
      "sku,quantity\r\na,3\n",
      "sku\na\n",
      "quantity\tsku\n\ta\n",
      "sku|note|target_price\nA|mine|19.90\n",
    ]) {
      expect(await csvOf(basket, ...days, "--start-date", "2026-01-03")).toEqual(expected);
    }
  });

  test("the base day is the first on which a product of the basket has a price", async () => {
    expect(await csvOf("sku\nc\n", "--columns", "crawl_date,index,base_date")).toEqual([
      "2026-01-01,,2026-01-05",
      "2026-01-02,,2026-01-05",
      "2026-01-03,,2026-01-05",
      "2026-01-05,100,2026-01-05",
      "2026-01-09,100,2026-01-05",
    ]);
  });

  test("a product without a price on the base day is left out, and counted", async () => {
    const columns = ["--columns", "crawl_date,index,basket_value,products_priced,products"];
    expect(await csvOf("sku,retailer\na,acme\nc,acme\n", ...columns, "--start-date", "2026-01-05")).toEqual([
      "2026-01-05,100,7.2,2,2",
      "2026-01-09,100,7.2,2,2",
    ]);
    expect(await csvOf("sku,retailer\na,acme\nc,acme\n", ...columns, "--base", "2026-01-01")).toContain(
      "2026-01-05,200,0.2,1,2",
    );
  });

  test("a terminal is told the base day, what is left out, and from which day on it is known", async () => {
    const file = join(home, "basket.csv");
    await writeFile(file, "sku,retailer\na,acme\nc,acme\n");
    const { stderr } = await runInProcess(["index", file, folder], { columns: 200 });
    expect(stderr).toContain("index 100 on 2026-01-01\n");
    expect(stderr).toContain(
      "acme: 1 of 2 products left out, without a price of at most 14 days on 2026-01-01; every product that has prices has one on 2026-01-05 (--base)\n",
    );
    // On that day, the price of the other product is no longer known.
    const { stderr: young } = await runInProcess(["index", file, folder, "--max-age", "1d"], { columns: 200 });
    expect(young).toContain("acme: 1 of 2 products left out, without a price of at most 1 day on 2026-01-01\n");
  });

  test("a price older than --max-age is not known, on the base day and on each day", async () => {
    const columns = ["--columns", "crawl_date,index,basket_value,base_value,products_priced", "--retailer", "acme"];
    expect(await csvOf("sku\na\nb\n", ...columns, "--max-age", "2d")).toEqual([
      "2026-01-01,100,0.3,0.3,2",
      "2026-01-02,100,0.3,0.3,2",
      "2026-01-03,133.333333,0.4,0.3,2",
      "2026-01-05,100,0.3,0.3,2",
      "2026-01-09,,,,0",
    ]);
    expect(await csvOf("sku\na\nb\n", ...columns, "--max-age", "2d", "--base", "latest")).toEqual([]);
    expect(await csvOf("sku\na\nb\n", ...columns, "--max-age", "0d")).toContain("2026-01-03,200,0.2,0.1,1");
  });

  test("a product has no price on a day on which it is sold in another currency than on the base day", async () => {
    expect(await csvOf("sku,retailer\na,bolt\n", "--columns", "crawl_date,currency,index,products_priced")).toEqual([
      "2026-01-03,EUR,100,1",
      "2026-01-05,EUR,110,1",
      "2026-01-06,EUR,,0",
    ]);
    expect(
      await csvOf("sku,retailer\na,bolt\n", "--columns", "crawl_date,currency,index", "--base", "latest"),
    ).toContain("2026-01-06,USD,100");
  });

  test("a sku that the folder does not have is named in a warning", async () => {
    expect(await run("sku\na\nzzz\n", "-n", "1")).toMatchObject({
      code: 0,
      stderr: 'warning: no row for 1 product on the list: "zzz"\n',
    });
  });

  test("a sku that --excel protected is that sku", async () => {
    expect(await run('\ufeffsku,title\r\na,\r\n"=""0007""",\r\n', "-n", "1")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('on the list: "0007"'),
    });
  });

  test("reads the basket from standard input", async () => {
    const args = ["index", "-", folder, "--retailer", "bolt", "--columns", "index", "-f", "csv"];
    expect(await runInProcess(args, { stdin: "sku\na\n" })).toMatchObject({ stdout: 'index\r\n100\r\n110\r\n""\r\n' });
  });

  test("shows a table with two decimals of the index", async () => {
    const { stdout } = await run(
      "sku,retailer,quantity\na,acme,1\nb,acme,1\n",
      "-f",
      "table",
      "--start-date",
      "2026-01-03",
    );
    expect(stdout.replace(/ +/g, " ")).toContain("2026-01-05 75.00 0.30 2\n");
  });
});

test.each([
  ["", ":1: expected a header with the column sku, found nothing"],
  ["sku\n", " has no products; write one line per product below the header"],
  [
    "skuu,qantity,note,note\na,1,,\n",
    ':1: expected the column sku and optionally retailer, target_price, quantity, note, found no sku; unknown "skuu" (did you mean sku?), "qantity" (did you mean quantity?); note twice; the other columns of `catalog latest` are ignored',
  ],
  ["sku,quantity\na,1\n,2\n", ':3: sku: expected the sku of a product, found ""'],
  ["sku,quantity\n\na,-1\n", ":3: quantity: expected a number above 0 and below 1000000 with at most three decimals"],
  ["sku;quantity\na;1,5\n", ":2: quantity: expected a number above 0"],
  ["sku,quantity\na,0.000\n", ":2: quantity: expected a number above 0"],
  [
    "sku,target_price\na,0\n",
    ":2: target_price: expected a price above 0 and below 100000000000000 with at most four decimals",
  ],
  [
    "sku,target_price\na,123456789012345\n",
    ":2: target_price: expected a price above 0 and below 100000000000000 with",
  ],
  [
    "sku,retailer\na,acme\na,bolt\nA,acme\n",
    ':4: expected each product once, found "A", which line 2 already lists for acme',
  ],
  [
    "sku,retailer\na,\na,acme\n",
    ':3: expected each product once, found "a", which line 2 already lists for every retailer',
  ],
  [
    "sku\nA\u200b1\nA\u200b1\n",
    ':3: expected each product once, found "A\\u200b1", which line 2 already lists for every retailer',
  ],
  ["sku,quantity\na\n", ":2: expected 2 fields, found 1"],
  ['sku\n"a\nb\n', ':2: expected a closing quote for "\\"a\\nb\\n", found the end of the file'],
  ['sku\n"=""0007"""\n0008\n', ":3: sku: expected either all texts protected as by `export --excel`, or none"],
  ["PAR1", " is a Parquet file; a list of products is CSV"],
  ['[{"sku":"a"}]', " is JSON; a list of products is CSV"],
])("a basket %j is a file that could not be read", async (basket, message) => {
  const { code, stdout, stderr } = await run(basket);
  expect({ code, stdout }).toEqual({ code: EXIT.failure, stdout: "" });
  expect(stderr).toContain(`basket.csv${message}`);
});

test("a line of a retailer that the folder does not have is named", async () => {
  const { code, stdout, stderr } = await run("sku,retailer\na,acmee\n");
  expect({ code, stdout, stderr }).toEqual({
    ...{ code: 0, stdout: "" },
    stderr: 'warning: no row for 1 product on the list: "a" of acmee\n',
  });
});

test("implausible prices are left out of the index, and counted", async () => {
  const days = ["01", "02", "03", "04", "05"].map((day) => `2026-01-${day}`);
  const args = ["--retailer", "dim", "--columns", "crawl_date,index", "-f", "csv"];
  const left = await run("sku\nlamp\n", ...args);
  const taken = await run("sku\nlamp\n", ...args, "--include-suspect", "--fail-if", "index < 1");
  expect({ stdout: left.stdout, code: taken.code, stderr: taken.stderr }).toEqual({
    stdout: `crawl_date,index\r\n${days.map((day) => `${day},100\r\n`).join("")}`,
    code: 8,
    stderr: "error: index < 1 holds for 1 day: dim EUR 2026-01-03\n",
  });
});

test.each([
  [["--base", "2025-12-31"], "--base 2025-12-31: "],
  [["--base", "2026-01-10"], "--base 2026-01-10: "],
  [
    ["--start-date", "2026-01-07", "--end-date", "2026-01-08"],
    "error: there are no rows from 2026-01-07 to 2026-01-08; ",
  ],
])("%j is refused", async (args, message) => {
  const { code, stdout, stderr } = await run("sku\na\n", ...args);
  expect({ code, stdout }).toEqual({ code: EXIT.usage, stdout: "" });
  expect(stderr).toContain(message);
});

test.each([
  [["index"], []],
  [["index"], ["basket.csv"]],
  [["sql"], ["select 1"]],
  [["history"], ["a"]],
  [["why"], ["acme", "a"]],
])("%j DIR with a folder before %j says that the folder is the last word", async (command, after) => {
  const { code, stdout, stderr } = await runInProcess([...command, folder, ...after]);
  expect({ code, stdout }).toEqual({ code: EXIT.usage, stdout: "" });
  expect(stderr).toContain(
    `error: ${folder} is a folder of \`catalog sync\`; name it last, as in \`catalog ${command} `,
  );
});

test.each([
  [["index", "none.csv"], "a list of products is CSV, as `catalog latest -f csv` writes it"],
  [["latest", "--skus", "NW-000003"], "a list of products is CSV, as `catalog latest -f csv` writes it"],
  [
    ["compare", "--currency", "EUR", "--rates", "none.csv"],
    "exchange rates are CSV with the columns currency and rate",
  ],
])("%j: there is no file of that name", async (args, expected) => {
  const { code, stderr } = await runInProcess([...args, folder], { cwd: home });
  const message = expect.stringContaining(`${args.at(-1)}: no such file or folder; ${expected}`);
  expect({ code, stderr: stderr.replace(/\s+/g, " ") }).toEqual({ code: EXIT.notFound, stderr: message });
});
