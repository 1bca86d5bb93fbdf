import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

const at = (crawl_date: string, sku: string, brand: string, selling_price: number, retailer = "acme") =>
  product({ crawl_date, sku, brand, selling_price, retailer, title: `Lamp ${sku}` });

const ROWS = [
  ...[at("2026-01-01", "o1", "Osram", 20), at("2026-01-08", "o1", "Osram", 10)],
  ...[at("2026-01-01", "o2", "OSRAM", 9, "bolt"), at("2026-01-08", "o2", "OSRAM", 8, "bolt")],
  ...[at("2026-01-01", "p1", "Philips", 30), at("2026-01-08", "p1", "Philips", 29)],
  at("2026-01-08", "p2", "Philips", 5),
];

const onEnd = afterAllTests();
let folder: string;
beforeAll(async () => {
  folder = await syncedFolder(ROWS, onEnd);
});

const csvOf = async (...args: string[]) => {
  const { code, stdout, stderr } = await runInProcess([...args, "-f", "csv"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.trimEnd().split("\r\n").slice(1);
};

test("--brand keeps the products of a brand, in any letter case, of all that reads a folder", async () => {
  const drops = ["movers", folder, "--only", "drop", "--columns", "sku,brand"];
  expect(await csvOf(...drops, "--brand", "osram")).toEqual(["o1,Osram", "o2,OSRAM"]);
  expect(await csvOf(...drops, "--brand", "osram", "--brand", "PHILIPS", "--retailer", "acme")).toEqual([
    "o1,Osram",
    "p1,Philips",
  ]);
  const diff = ["diff", folder, "--from", "2026-01-01", "--to", "2026-01-08", "--columns", "change,sku"];
  expect(await csvOf(...diff, "--brand", "philips")).toEqual(["changed,p1", "appeared,p2"]);
  const history = ["history", "--search", "lamp", folder, "--columns", "sku,selling_price", "--start-date", "latest"];
  expect(await csvOf(...history, "--brand", "Osram")).toEqual(["o1,10", "o2,8"]);
});

test("coverage counts the rows of a brand, and each brand", async () => {
  const counts = async (...args: string[]) =>
    (await csvOf("coverage", folder, ...args)).map((line) => line.replace(/,\d+$/, ""));
  expect(await counts("--brand", "osram", "--group-by", "retailer")).toEqual([
    "acme,1,2,2,2026-01-01,2026-01-08",
    "bolt,1,2,2,2026-01-01,2026-01-08",
  ]);
  expect(await counts("--brand", "philips", "--group-by", "day")).toEqual(["2026-01-08,1,1,2", "2026-01-01,1,1,1"]);
  const brands = await counts("--group-by", "brand", "--start-date", "2026-01-02");
  expect(brands).toEqual(["OSRAM,2,4,2,2026-01-08,2026-01-08", "Philips,1,3,2,2026-01-08,2026-01-08"]);
  const stale = await runInProcess(["coverage", folder, "--group-by", "brand", "--fail-if", "matching_rows < 4"]);
  expect(stale).toMatchObject({ code: 8, stderr: expect.stringContaining("holds for 1 group: Philips") });
});

test.each([
  [["coverage"], "; no filters"],
  [["history", "o1"], ""],
])("the page of %j names its filters as they were typed, brands too", async (command, none) => {
  const page = `${folder}.html`;
  const source = async (...flags: string[]) => {
    await runInProcess([...command, folder, "--html", page, ...flags]);
    return (await readFile(page, "utf8")).match(/(?<=<p>).*(?=; read at )/)?.[0];
  };
  expect(await source()).toBe(`${folder}${none}`);
  expect(await source("--brand", "Osram", "--start-date", "latest-3d")).toBe(
    `${folder}; --start-date latest-3d --brand Osram`,
  );
});

test("the error of --fail-if shows that a brand has no name", async () => {
  const unnamed = await syncedFolder([at("2026-01-01", "o1", "Osram", 20), at("2026-01-01", "n1", "", 20)]);
  for (const [command, condition] of [
    ["coverage", "matching_rows > 0"],
    ["latest", "products > 0"],
  ] as const) {
    const args = [command, unnamed, "--group-by", "brand", "--fail-if", condition];
    expect(await runInProcess(args)).toMatchObject({
      ...{ code: 8, stderr: expect.stringMatching(/ holds for 2 groups: (?:Osram, ""|"", Osram)\n$/) },
    });
  }
});

test.each([["coverage"], ["latest"]])("a table of %s by brand says which products have no brand", async (command) => {
  const unnamed = await syncedFolder([at("2026-01-01", "o1", "Osram", 20), at("2026-01-01", "n1", "", 20)]);
  const { stdout } = await runInProcess([command, unnamed, "--group-by", "brand", "-f", "table"]);
  expect(stdout.match(/^(?:no brand|Osram|total)(?= )/gm)?.sort()).toEqual(["Osram", "no brand", "total"]);
});

test("a table of discounts without a known product has no line of totals", async () => {
  const { stdout } = await runInProcess([
    "latest",
    folder,
    "--group-by",
    "brand",
    "-f",
    "table",
    "--max-age",
    "1d",
    "--end-date",
    "2025-12-01",
  ]);
  expect(stdout).toMatch(/^brand +products .*\n─+ .*\n$/);
});

test("movers are grouped by brand", async () => {
  const { stdout } = await runInProcess(["movers", folder, "--only", "drop", "--group-by", "brand", "-f", "table"]);
  expect(stdout.match(/^(Biggest|OSRAM|Osram|Philips).*$/gm)).toEqual([
    "Biggest drops from 2026-01-01 to 2026-01-08",
    "OSRAM",
    "Philips",
  ]);
});

test("an unknown brand gets a suggestion, and a service has no brands", async () => {
  const unknown = await runInProcess(["movers", folder, "--brand", "philps"]);
  expect(unknown).toMatchObject({ code: 4, stderr: expect.stringContaining("Did you mean Philips?") });
  for (const args of [
    ["coverage", "--brand", "osram"],
    ["coverage", "--group-by", "brand"],
    ["diff", "--brand", "x"],
  ]) {
    const refused = await runInProcess([...args, "--demo"]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("a folder of `catalog sync`") });
  }
});
