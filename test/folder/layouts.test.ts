import { rm } from "node:fs/promises";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { PRODUCT_COLUMNS } from "../../src/contract/product.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { ownFolderOf } from "../../src/folder/folder-lock.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { type InProcessResult, runInProcess } from "../helpers/in-process.ts";
import { parquetColumns } from "../helpers/parquet-files.ts";
import { product } from "../helpers/products.ts";
import { rewriteDay, servedFolder, syncedFolder } from "../helpers/synced-folder.ts";

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

/** A folder whose days are all read when the first question is asked. */
async function unindexed(): Promise<string> {
  return await syncedFolder(rows, onTestFinished, false);
}

/** What a command says of a product on each day. */
async function historyIn(folder: string): Promise<InProcessResult> {
  return await runInProcess(["history", "s0", folder, "-q", "-f", "csv"]);
}

const onEnd = afterAllTests();
let history: InProcessResult;
beforeAll(async () => {
  history = await historyIn(await syncedFolder(rows, onEnd));
  expect(history).toMatchObject({ code: 0, stderr: "" });
  expect(history.stdout.trim().split(/\r?\n/)).toHaveLength(1 + DAYS.length);
});

const WITHOUT_DAY = PRODUCT_COLUMNS.filter((name) => name !== "crawl_date");
const withDay = (crawl_date: string) => (row: object) => ({ ...row, crawl_date });

describe("day files that hold the day as a column, as earlier versions wrote them,", () => {
  test("are read beside the others", async () => {
    const folder = await unindexed();
    for (const day of DAYS.slice(1, 3)) {
      await rewriteDay(folder, day, withDay(day));
    }
    expect(await historyIn(folder)).toEqual(history);
  });

  test("are read, stay until their day changes, and then lose the column", async () => {
    const { folder, file, sync, replace, copy, expected, times } = await synced();
    for (const day of DAYS) {
      await rewriteDay(folder, day, withDay(day));
    }
    expect(await historyIn(folder)).toEqual(history);
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
    const folder = await unindexed();
    await rewriteDay(folder, DAYS[1] ?? "", (row) => ({ ...row, rating: "4" }));
    expect(await historyIn(folder)).toEqual(history);
  });

  test("fewer columns is read; what describes a product is then empty", async () => {
    const folder = await unindexed();
    const lacking = { title: undefined, brand: undefined, model_number: undefined, url: undefined };
    for (const day of DAYS.slice(1)) {
      await rewriteDay(folder, day, (row) => ({ ...row, ...lacking }));
    }
    const columns = "retailer,sku,title,brand,url,selling_price";
    expect(await runInProcess(["latest", folder, "--columns", columns, "-q", "-f", "csv"])).toEqual({
      code: 0,
      stderr: "",
      stdout: `${columns}\r\nacme,s0,"","",,16.5\r\nbolt,s1,"","",,8\r\n`,
    });
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
      stderr: expect.stringMatching(new RegExp(`${file(day)} has no column ${column}`)),
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
