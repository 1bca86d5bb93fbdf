import { createHash } from "node:crypto";
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

const at = (day: number, selling_price: number, id: string, currency = "EUR", sku = "Lamp 1") =>
  product({
    sku,
    title: `Lamp on day ${day}`,
    crawl_date: addDays("2026-01-01", day),
    product_id: id,
    ...{ selling_price, currency },
  });

const rows = [
  ...Array.from({ length: 30 }, (_, day) => at(day, 20, `day-${day}`)),
  at(10, 25, "dearer"),
  at(12, 200, "wrong"),
  at(14, 10, "dollars", "USD"),
  ...[at(30, 16, "day-30"), at(31, 16, "day-31")],
  product({ sku: "Lamp 2", crawl_date: "2026-02-04" }),
];

const now = () => Date.parse("2026-02-05T08:00:00Z");
const ask = async (...args: string[]) => await runInProcess(["why", "acme", ...args], { now });

describe("catalog why", () => {
  test("says what other questions say, and from which row of which file", async () => {
    const folder = await syncedFolder(rows);
    const { code, stdout, stderr } = await ask("lamp 1", folder);
    const [newest] = recordsOf(stdout);
    expect({ code, stderr, newest }).toEqual({
      code: 0,
      stderr: "",
      newest: {
        ...{ retailer: "acme", sku: "Lamp 1", title: "Lamp on day 31", crawl_date: "2026-02-01" },
        file: "crawl_date=2026-02-01/part-0.parquet",
        sha256: createHash("sha256")
          .update(await readFile(join(folder, "crawl_date=2026-02-01/part-0.parquet")))
          .digest("hex"),
        ...{ product_id: "day-31", currency: "EUR", mrp: 20, selling_price: 16, discount_pct: 25 },
        ...{ counted: true, rule: null, figures: "known_price, low_selling_price" },
        ...{ date: "2026-02-01", known_price: 16, days_old: 4, is_known: true },
        ...{ before_date: "2026-01-28", before_selling_price: 20, difference: -4, percent: -20 },
        ...{ low_date: "2026-02-01", low_selling_price: 16, present_since: "2026-01-31" },
        ...{ reference_price: 20, real_discount_pct: 20, reference_days: 30, reason: null },
      },
    });
  });

  test("names no row of the reference price that is more than 14 days older than the thirty days", async () => {
    // The present price is that of day 35, so that a price of day -10 is too old for day 5, and one of day -9 is not.
    const cases = { "Lamp -10": [-10, ""], "Lamp -9": [-9, "reference_price"] } as const;
    const pricesOf = (sku: string, first: number) => [
      at(first, 10, `${sku} early`, "EUR", sku),
      ...Array.from({ length: 25 }, (_, day) => at(10 + day, 10, `${sku} day-${10 + day}`, "EUR", sku)),
      at(35, 8, `${sku} now`, "EUR", sku),
    ];
    const folder = await syncedFolder(Object.entries(cases).flatMap(([sku, [first]]) => pricesOf(sku, first)));
    for (const [sku, [, figures]] of Object.entries(cases)) {
      const { stdout } = await ask(sku, folder, "--columns", "product_id,figures,reference_price");
      const early = recordsOf(stdout).find(({ product_id }) => product_id === `${sku} early`);
      expect(early).toMatchObject({ reference_price: 10, figures });
    }
  });

  test("lists each crawled row up to the day, with the rule by which it does not count", async () => {
    const args = ["Lamp 1", "2026-01-16", await syncedFolder(rows), "--columns", "product_id,counted,rule,figures"];
    const listed = recordsOf((await ask(...args)).stdout);
    expect(listed.length).toBe(19);
    expect(listed.filter(({ counted, figures }) => !counted || figures !== "")).toEqual([
      { product_id: "day-15", counted: true, rule: null, figures: "known_price, low_selling_price" },
      { product_id: "dollars", counted: false, rule: "other currency", figures: "" },
      { product_id: "wrong", counted: false, rule: "suspect", figures: "" },
      { product_id: "dearer", counted: false, rule: "dearer", figures: "" },
      { product_id: "day-8", counted: true, rule: null, figures: "before_selling_price" },
      { product_id: "day-0", counted: true, rule: null, figures: "present_since" },
    ]);
  });

  test("shows people the answer, then the rows that it comes from", async () => {
    const args = [
      "why",
      "acme",
      "Lamp 1",
      await syncedFolder(rows),
      "--max-age",
      "2d",
      "-f",
      "table",
      "-n",
      "3",
      "--no-color",
    ];
    const { stdout, stderr } = await runInProcess(args, { now, columns: 200 });
    expect(stdout.split("\n").slice(0, 6)).toEqual([
      "Lamp on day 31 · acme Lamp 1",
      "not known: the last price is 16.00 EUR of 2026-02-01, 4 days old",
      "reason unknown",
      "a week before 20.00 EUR of 2026-01-28: -4.00, -20.0 %",
      "lowest 16.00 EUR of 2026-02-01",
      "reference price 20.00 EUR of 30 days before 2026-01-31, real discount 20.0 %",
    ]);
    expect(stdout).toContain("2026-02-01  16.00  yes     known price, low selling price");
    expect(stderr).toContain("\nthe first 3 of 35; omit --limit to get all rows\n");
    const same = await syncedFolder([0, 1, 2].map((day) => at(day, 20, `day-${day}`)));
    expect((await runInProcess(["why", "acme", "Lamp 1", same], { now, columns: 200 })).stderr).toContain(
      "\n1 further row that no figure comes from; -f ndjson has them all\n",
    );
  });

  test("gives an earlier price in its own currency", async () => {
    const changed = [at(0, 9.5, "euros"), ...[10, 11, 12].map((day) => at(day, 1500, `day-${day}`, "JPY"))];
    const { stdout } = await ask(
      "Lamp 1",
      "2026-01-13",
      await syncedFolder(changed),
      "-f",
      "table",
      "--max-age",
      "30d",
    );
    expect(stdout.split("\n").slice(1, 5)).toEqual([
      "price 1,500 JPY of 2026-01-13, 0 days old",
      "a week before 9.50 EUR of 2026-01-01: in another currency",
      "lowest 1,500 JPY of 2026-01-13",
      "no reference price: 0 of the 30 days before 2026-01-11 have a price, 24 are needed",
    ]);
  });

  test("compares no prices between which the currency changed", async () => {
    const folder = await syncedFolder([at(0, 12, "first"), at(5, 13, "dollars", "USD"), at(11, 10, "last")]);
    const { stdout } = await ask("Lamp 1", "2026-01-12", folder, "-f", "table", "--max-age", "30d");
    expect(stdout.split("\n").slice(1, 4)).toEqual([
      "price 10.00 EUR of 2026-01-12, 0 days old",
      "a week before 12.00 EUR of 2026-01-01: not compared, the currency changed in between",
      "lowest 10.00 EUR of 2026-01-12",
    ]);
  });

  test("gives no real discount from a reference price of zero", async () => {
    const free = [...rows.filter(({ product_id }) => product_id !== "day-20"), at(20, 0, "day-20")];
    const { stdout } = await ask("Lamp 1", await syncedFolder(free), "-f", "table", "--include-suspect");
    expect(stdout).toContain("\nreference price 0.00 EUR of 30 days before 2026-01-31\n");
  });

  test("does not know a product that has no row up to the day, and suggests others", async () => {
    const folder = await syncedFolder(rows);
    const unknown = await ask("Lamp 3", folder);
    expect(unknown).toMatchObject({
      code: 4,
      stderr: `error: ${folder} has no row of the sku "Lamp 3" of acme up to 2026-02-04.
Did you mean Lamp 1, Lamp 2?
  catalog why acme 'Lamp 1' ${folder}
`,
    });
    expect((await ask("Lamp 2", "2026-02-03", folder)).code).toBe(4);
  });

  test("refuses a damaged file that it would quote", async () => {
    const folder = await syncedFolder(rows);
    await ask("Lamp 1", folder);
    await appendFile(join(folder, "crawl_date=2026-01-10/part-0.parquet"), "x");
    expect(await ask("Lamp 1", folder)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(
        "crawl_date=2026-01-10/part-0.parquet was changed or damaged since the last sync",
      ),
    });
  });

  test.each([
    [[], "name a retailer and a sku"],
    [["Lamp 1", "2026-01-01", "copy", "more"], '"more" is one word too many'],
    [["Lamp 1", "copy", "2026-01-01"], 'name the day 2026-01-01 before the folder "copy".'],
    [["Lamp 1", "2026-13-01", "copy"], '"2026-13-01" is not a day; quote a sku with spaces.'],
    [["Lamp 1", "--retailer", "bolt"], "--retailer cannot be given: the first word names the retailer"],
    [["Lamp 1", "--rcd", "bolt:lamps:home"], "--rcd cannot be given: the first word names the retailer"],
    [["Lamp 1", "7d", "--end-date", "8d"], "--end-date cannot be combined with the day 7d"],
  ])("refuses %j", async (args, message) => {
    expect(await ask(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  test.each(["", "acme,bolt"])("refuses %j, which is not one retailer", async (retailer) => {
    expect(await runInProcess(["why", retailer, "Lamp 1"])).toMatchObject({
      code: 2,
      stderr: `error: "${retailer}" is not a retailer; name one.\n`,
    });
  });
});
