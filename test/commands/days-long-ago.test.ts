import { expect, test } from "vitest";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

const ROWS = [product({ sku: "old", crawl_date: "0001-01-01" }), product({ sku: "new", crawl_date: "2026-01-15" })];

test("a row of the year 1 does not make each later day cost more than the one before", async () => {
  const { code, stdout, stderr } = await runInProcess(["latest", "--gone", await syncedFolder(ROWS)]);
  const gone = expect.objectContaining({ sku: "old", crawl_date: "0001-01-01", reason: "unknown" });
  expect([code, stderr, recordsOf(stdout)]).toEqual([0, "", [gone]]);
});
