import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import type { Product } from "../../src/contract/product.ts";
import { ownerOf } from "../../src/files/lock-owner.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product, products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const rows: Product[] = [
  ...products(3, { retailer: "acme", crawl_date: "2026-01-01" }),
  ...products(2, { retailer: "acme", crawl_date: "2026-01-02" }),
  ...products(2, { retailer: "b%=b", crawl_date: "2026-01-02" }),
];

test("each partition is a file with all columns, in folders with Hive names", async () => {
  const folder = join(await temporaryFolder(), "out");
  const result = await exportTo(folder, ["-f", "ndjson"]);
  expect([result.code, result.stderr, result.stdout]).toEqual([0, "", ""]);
  const files = await filesOf(folder);
  expect(Object.keys(files)).toEqual([
    "retailer=acme/crawl_date=2026-01-01/part-0.ndjson",
    "retailer=acme/crawl_date=2026-01-02/part-0.ndjson",
    "retailer=b%25%3Db/crawl_date=2026-01-02/part-0.ndjson",
  ]);
  expect(Object.values(files).map(linesOf)).toEqual([rows.slice(0, 3), rows.slice(3, 5), rows.slice(5)]);
});

test("Parquet partitions contain exactly the rows of the service", async () => {
  const folder = join(await temporaryFolder(), "out");
  await exportTo(folder, ["-f", "parquet"]);
  const read = await Promise.all(
    Object.values(await filesOf(folder)).map((bytes) => parquetReadObjects({ file: new Uint8Array(bytes).buffer })),
  );
  expect(read.flat()).toEqual(rows.map((row) => ({ ...row, crawl_date: new Date(row.crawl_date) })));
});

test("each partition is compressed separately", async () => {
  const folder = join(await temporaryFolder(), "out");
  await exportTo(folder, ["-f", "csv", "--compress", "gzip", "--retailer", "acme"]);
  expect(Object.keys(await filesOf(folder))).toEqual([
    "retailer=acme/crawl_date=2026-01-01/part-0.csv.gz",
    "retailer=acme/crawl_date=2026-01-02/part-0.csv.gz",
  ]);
});

test("partitions with new rows are replaced, others stay, and nothing else is left", async () => {
  const folder = join(await temporaryFolder(), "out");
  await exportTo(folder, ["-f", "ndjson"]);
  const changed = [product({ retailer: "acme", crawl_date: "2026-01-02", sku: "new" })];
  await exportTo(folder, ["-f", "ndjson"], changed);
  const files = Object.values(await filesOf(folder)).map(linesOf);
  expect(files).toEqual([rows.slice(0, 3), changed, rows.slice(5)]);
  expect((await readdir(folder)).sort()).toEqual(["retailer=acme", "retailer=b%25%3Db"]);
});

test("a folder that another process writes is refused", async () => {
  const folder = join(await temporaryFolder(), "out");
  await mkdir(join(folder, ".catalog"), { recursive: true });
  await writeFile(join(folder, ".catalog/lock"), JSON.stringify(await ownerOf(process.ppid)));
  const { code, stderr } = await exportTo(folder, ["-f", "ndjson"]);
  expect([code, stderr]).toEqual([5, expect.stringContaining(`is being written by process ${process.ppid}`)]);
});

test.each([
  [["--partition-by", "brand", "-o", "x"], 'not "brand"'],
  [["--partition-by", "retailer,retailer", "-o", "x"], 'names "retailer" twice'],
  [["--partition-by", "retailer"], "add --output DIR"],
  [["--partition-by", "retailer", "-o", "x", "--resume"], "--resume is for an export to one file"],
])("%j is refused", async (flags, message) => {
  const { code, stderr } = await runInProcess(["export", "--demo", ...flags]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

async function exportTo(folder: string, flags: readonly string[], served = rows) {
  const { url, key } = await startTestService({ rows: served });
  const args = ["export", "--partition-by", "retailer,crawl_date", "-o", folder, ...flags];
  return runInProcess(args, { env: { CATALOG_BASE_URL: url, CATALOG_API_KEY: key } });
}

async function filesOf(folder: string): Promise<Record<string, Buffer>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.includes("part-0.")).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)),
  );
}

function linesOf(bytes: Buffer): Product[] {
  return bytes
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("a value that is too long for a folder name is refused before any page is requested", async () => {
  const folder = join(await temporaryFolder(), "out");
  const long = [...rows, product({ retailer: "é".repeat(124), crawl_date: "2026-01-02" })];
  const { code, stderr } = await exportTo(folder, ["-f", "ndjson", "--verbose"], long);
  expect([code, stderr.match(/GET \/v1\/catalog/g), stderr.replace(/\s+/g, " ")]).toEqual([
    2,
    null,
    expect.stringMatching(/the retailer "é{40}…" is too long for the name of a folder; leave retailer out/),
  ]);
  expect(await readdir(folder)).toEqual([]);
});

test("a link in the place of a partition's folder is refused, and its target is not changed", async () => {
  const parent = await temporaryFolder();
  const folder = join(parent, "out");
  await mkdir(join(parent, "victim"));
  await mkdir(folder);
  await symlink("../victim", join(folder, "retailer=acme"));
  const { code, stderr } = await exportTo(folder, ["-f", "ndjson"]);
  expect([code, stderr.replace(/\s+/g, " ")]).toEqual([1, expect.stringContaining("retailer=acme is a symbolic link")]);
  expect(await readdir(join(parent, "victim"))).toEqual([]);
});
