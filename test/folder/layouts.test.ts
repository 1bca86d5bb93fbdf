import { rm } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { PRODUCT_COLUMNS } from "../../src/contract/product.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { ownFolderOf } from "../../src/folder/folder-lock.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { parquetColumns } from "../helpers/parquet-files.ts";
import { product } from "../helpers/products.ts";
import { rewriteDay, servedFolder } from "../helpers/synced-folder.ts";

const FIRST = "2026-01-01";
const DAYS = [0, 1, 2, 3].map((index) => addDays(FIRST, index));

const rows = DAYS.flatMap((crawl_date, index) => [
  product({ crawl_date, sku: "s0", selling_price: 19.5 - index }),
  product({ crawl_date, sku: "s1", retailer: "bolt", selling_price: 5 + index }),
]);

async function synced() {
  const served = await servedFolder(rows);
  await served.alreadySynced(true);
  return served;
}

/** What commands say of a folder: from its state, of a product on each day, and of all products. */
async function answers(folder: string): Promise<string[]> {
  const commands = [
    ["coverage", "--from", folder, "--group-by", "day"],
    ["history", "s0", folder],
    ["movers", folder, "--since", DAYS[1] ?? ""],
  ];
  const results: string[] = [];
  for (const command of commands) {
    const { code, stdout, stderr } = await runInProcess([...command, "-q", "-f", "csv"]);
    results.push(`${command[0]} ${code}${stderr}\n${stdout}`);
  }
  return results;
}

const WITHOUT_DAY = PRODUCT_COLUMNS.filter((name) => name !== "crawl_date");
const withDay = (crawl_date: string) => (row: object) => ({ ...row, crawl_date });

describe("day files that hold the day as a column, as earlier versions wrote them,", () => {
  test.each([
    ["all", DAYS],
    ["some", DAYS.slice(1, 3)],
  ])("are read like the others: %s", async (_, days) => {
    const { folder } = await synced();
    const before = await answers(folder);
    for (const day of days) {
      await rewriteDay(folder, day, withDay(day));
    }
    expect(await answers(folder)).toEqual(before);
    expect(before.map((answer) => answer.split("\n").length > 2)).toEqual(before.map(() => true));
  });

  test("stay until their day changes, and then lose the column", async () => {
    const { folder, file, sync, replace, copy, expected, times } = await synced();
    for (const day of DAYS) {
      await rewriteDay(folder, day, withDay(day));
    }
    const before = await times();
    expect(await sync({ verify: true })).toMatchObject({ days: 0 });
    expect(await times()).toEqual(before);
    await replace([...rows, product({ crawl_date: DAYS[1] ?? "", sku: "s2" })]);
    expect(await sync()).toMatchObject({ days: 1, rowsAdded: 1 });
    expect(await Promise.all(DAYS.map((day) => parquetColumns(file(day))))).toEqual([
      PRODUCT_COLUMNS,
      WITHOUT_DAY,
      PRODUCT_COLUMNS,
      PRODUCT_COLUMNS,
    ]);
    expect(await copy()).toEqual(expected());
  });

  test("lose the column when a retailer is dropped from them", async () => {
    const { folder, file, sync, replace, copy, expected } = await synced();
    for (const day of DAYS) {
      await rewriteDay(folder, day, withDay(day));
    }
    await replace(rows.filter(({ retailer }) => retailer === "acme"));
    expect(await sync({ prune: true })).toMatchObject({ days: 0, rowsRemoved: 4 });
    expect(await Promise.all(DAYS.map((day) => parquetColumns(file(day))))).toEqual(DAYS.map(() => WITHOUT_DAY));
    expect(await copy()).toEqual(expected());
  });

  test("are taken over with --adopt", async () => {
    const { folder, sync, copy, expected } = await synced();
    await rewriteDay(folder, DAYS[0] ?? "", withDay(DAYS[0] ?? ""));
    await rm(ownFolderOf(folder), { recursive: true });
    expect(await sync({ adopt: true })).toMatchObject({ days: 4 });
    expect(await copy()).toEqual(expected());
  });
});

describe("a day file of a version with", () => {
  test("one more column is read like the others", async () => {
    const { folder } = await synced();
    const before = await answers(folder);
    await rewriteDay(folder, DAYS[1] ?? "", (row) => ({ ...row, rating: "4" }));
    expect(await answers(folder)).toEqual(before);
  });

  test("fewer columns is read; what describes a product is then empty", async () => {
    const { folder } = await synced();
    const before = await answers(folder);
    for (const day of DAYS) {
      await rewriteDay(folder, day, (row) => ({ ...row, title: undefined, brand: undefined, url: undefined }));
    }
    const untitled = (answer: string) => answer.replaceAll(/Title of s\d|Brand|https:[^,\r\n]*|""/g, "");
    expect((await answers(folder)).map(untitled)).toEqual(before.map(untitled));
    expect((await answers(folder)).join()).not.toMatch(/Title of|Brand|https:|undefined/);
  });

  test("fewer columns is read again when a retailer is dropped from it", async () => {
    const { folder, sync, replace, copy, expected } = await synced();
    await rewriteDay(folder, DAYS[1] ?? "", (row) => ({ ...row, title: undefined }));
    await replace(rows.filter(({ retailer }) => retailer === "acme"));
    expect(await sync({ prune: true })).toMatchObject({ days: 1, rowsRemoved: 4 });
    expect(await copy()).toEqual(expected());
  });

  test.each(["selling_price", "sku"])("no %s is refused, with the column named", async (column) => {
    const { folder, file } = await synced();
    const day = DAYS[1] ?? "";
    await rewriteDay(folder, day, (row) => ({ ...row, [column]: undefined }));
    const refused = {
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(`${file(day)} cannot be read as Parquet: row 1 has no (text|number) in the column ${column}`),
      ),
    };
    const flat = ({ code, stderr }: { code: number; stderr: string }) => ({
      code,
      stderr: stderr.replace(/\s+/g, " "),
    });
    expect(flat(await runInProcess(["history", "s0", folder]))).toEqual(refused);
    expect(flat(await runInProcess(["diff", folder, "--no-as-of", "--from", day, "--to", DAYS[2] ?? ""]))).toEqual(
      refused,
    );
  });
});
