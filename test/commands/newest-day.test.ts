import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

type Facts = Partial<Parameters<typeof product>[0]> & { day: number };

const rowsOf = (rows: readonly Facts[]) =>
  rows.map(({ day, ...facts }, index) =>
    product({ product_id: `p${index}`, crawl_date: `2026-01-${String(day).padStart(2, "0")}`, ...facts }),
  );

const onEnd = afterAllTests();
let folder: string;
beforeAll(async () => {
  const lamp = [20, 20, 20, 20, 20, 20, 2, 2, 2, 2].map((selling_price, at) => ({
    day: at + 1,
    sku: "lamp",
    selling_price,
    brand: at < 5 ? "nord" : "Nord",
  }));
  const rows = rowsOf([
    ...lamp,
    ...[11, 12, 13].map((day) => ({ day, sku: "lamp", selling_price: 2, brand: "NORD" })),
    // Its last row is suspect.
    { day: 4, sku: "rug", selling_price: 5 },
    { day: 12, sku: "rug", selling_price: 0 },
    { day: 1, sku: "desk", retailer: "bolt", selling_price: 9 },
    { day: 6, sku: "desk", retailer: "bolt", selling_price: 8 },
    { day: 9, sku: "desk", retailer: "bolt", selling_price: 7 },
  ]);
  folder = await syncedFolder(rows, onEnd);
});

async function linesOf(...args: string[]) {
  const { stdout, stderr } = await runInProcess([...args, "-f", "csv"]);
  return [stderr, ...stdout.trimEnd().split("\r\n").slice(1)];
}

test("prices after --end-date of a basket tell nothing of those before", async () => {
  const basket = join(await temporaryFolder(), "basket.csv");
  await writeFile(basket, "sku\nlamp\n");
  const columns = ["--columns", "crawl_date,index"];
  const upTo = (day: string) =>
    linesOf("index", basket, folder, "--start-date", "2026-01-06", "--end-date", day, ...columns);
  expect(await upTo("2026-01-08")).toEqual(["", "2026-01-06,100", "2026-01-07,100", "2026-01-08,100"]);
  expect((await upTo("2026-01-10")).at(-1)).toBe("2026-01-10,10");
});

test("a brand is spelt as most often up to the newest day", async () => {
  const brandsOn = (day: string) =>
    linesOf("latest", folder, "--group-by", "brand", "--retailer", "acme", "--end-date", day, "--columns", "brand");
  expect(await brandsOn("2026-01-09")).toContain("nord");
  expect(await brandsOn("2026-01-10")).toContain("Nord");
});

test("the age of a product is that of its newest price, also if it has none in the shown days", async () => {
  const args = ["--start-date", "2026-01-10", "--end-date", "2026-01-14", "--columns", "crawl_date,suspect,days_old"];
  expect(await linesOf("history", "rug", folder, ...args)).toEqual(["", "2026-01-12,true,10"]);
});

test("`latest` is the newest day with rows that match the filters, in every question", async () => {
  const since = ["--retailer", "bolt", "--columns", "sku"];
  expect(await linesOf("movers", folder, "--since", "latest-3d", "--only", "drop", ...since)).toEqual(["", "desk"]);
  expect(await linesOf("diff", folder, "--from", "latest-3d", ...since)).toEqual(["", "desk"]);
});

test("prices after the newest day of a retailer tell nothing of those before, also where each has its own", async () => {
  const latest = (...flags: string[]) =>
    linesOf("latest", folder, ...flags, "--columns", "retailer,selling_price,crawl_date", "--max-age", "3d");
  const acme = await latest("--retailer", "acme", "--end-date", "2026-01-07");
  expect(acme).toEqual(["", "acme,20,2026-01-06", "acme,5,2026-01-04"]);
  expect(await latest("--end-date", "latest-6d")).toEqual([...acme, "bolt,9,2026-01-01"]);
});
