import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readXlsx } from "hucre/xlsx";
import { expect, test } from "vitest";
import type { Product } from "../../src/contract/product.ts";
import { ownerOf } from "../../src/files/process-owner.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";
import { parquetColumns, parquetRows } from "../helpers/parquet-files.ts";
import { product, products } from "../helpers/products.ts";
import { sharedService, startTestService } from "../helpers/service.ts";

const rows: Product[] = [
  ...products(3, { retailer: "acme", crawl_date: "2026-01-01" }),
  ...products(2, { retailer: "acme", crawl_date: "2026-01-02" }),
  ...products(2, { retailer: "b%=b", crawl_date: "2026-01-02" }),
];

const PARTITIONS = ["retailer", "crawl_date"];

const shared = sharedService({ rows, rateLimit: 1_000 });

/** A row without the columns that its folders name. */
function withoutPartitions(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !PARTITIONS.includes(name)));
}

test("each partition is a file of the other columns, in folders with Hive names", async () => {
  const folder = join(await temporaryFolder(), "out");
  const result = await exportTo(folder, ["-f", "ndjson"]);
  expect(result).toMatchObject({ code: 0, stderr: "", stdout: "" });
  const files = await filesOf(folder);
  expect(Object.keys(files)).toEqual([
    "retailer=acme/crawl_date=2026-01-01/part-0.ndjson",
    "retailer=acme/crawl_date=2026-01-02/part-0.ndjson",
    "retailer=b%25%3Db/crawl_date=2026-01-02/part-0.ndjson",
  ]);
  expect(Object.values(files).map(linesOf)).toEqual(
    [rows.slice(0, 3), rows.slice(3, 5), rows.slice(5)].map((part) => part.map(withoutPartitions)),
  );
});

test.each(["csv", "tsv", "ndjson", "json", "parquet", "xlsx"])(
  "partitions in %s lack the columns of their folders; the chosen columns keep their order",
  async (format) => {
    const folder = join(await temporaryFolder(), "out");
    const flags = ["-f", format, "--columns", "title,crawl_date,sku,retailer"];
    expect(await exportTo(folder, flags)).toMatchObject({ code: 0, stderr: "" });
    const [bytes = Buffer.alloc(0)] = Object.values(await filesOf(folder));
    expect(await columnsOf(format, bytes)).toEqual(["title", "sku"]);
  },
);

async function columnsOf(format: string, bytes: Buffer): Promise<string[]> {
  if (format === "parquet") {
    return (await parquetColumns(bytes)).map(String);
  }
  if (format === "xlsx") {
    return ((await readXlsx(bytes)).sheets[0]?.rows[0] ?? []).map(String);
  }
  const text = bytes.toString();
  const [row = {}] = format === "json" ? JSON.parse(text) : format === "ndjson" ? linesOf(bytes) : [];
  return format.endsWith("json")
    ? Object.keys(row)
    : (text.split(/\r?\n/)[0] ?? "").split(format === "csv" ? "," : "\t");
}

test("a file is no output for partitions, and stays as it is", async () => {
  const file = join(await temporaryFolder(), "ten.csv");
  await writeFile(file, "mine");
  const { code, stderr } = await exportTo(file, []);
  const message = expect.stringMatching(/^error: --output ".*ten\.csv" is a file; --partition-by needs a folder\.\n$/);
  expect({ code, stderr }).toEqual({ code: 2, stderr: message });
  expect(await readFile(file, "utf8")).toBe("mine");
});

test.each(["csv.gz", "ndjson", "parquet"])("service load reads %s partitions back", async (ending) => {
  const folder = join(await temporaryFolder(), "out");
  const [format = "", compressed] = ending.split(".");
  await exportTo(folder, ["-f", format, ...(compressed ? ["--compress", "gzip"] : [])]);
  const files = Object.keys(await filesOf(folder)).map((name) => join(folder, name));
  const database = join(folder, "db");
  const first = await runInProcess(["service", "load", ...files.slice(0, 1), "--database", database]);
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining("3 rows added") });
  // As the service had them: loading the rows themselves adds none.
  const whole = join(folder, "whole.ndjson");
  await runInProcess(["service", "load", ...files, "--database", database]);
  await writeFile(whole, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const again = await runInProcess(["service", "load", whole, "--database", database]);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("0 rows added, 7 were there already") });
});

test("the end is one line on a terminal: rows and files", async () => {
  const folder = join(await temporaryFolder(), "out");
  const args = ["export", "--partition-by", "retailer,crawl_date", "-o", folder, "--progress", "none"];
  expect(await runInProcess(args, { service: await shared(), columns: 200 })).toMatchObject({
    code: 0,
    stderr: `${folder}: 7 rows in 3 files\n`,
  });
});

test("Parquet partitions contain exactly the rows of the service", async () => {
  const folder = join(await temporaryFolder(), "out");
  await exportTo(folder, ["-f", "parquet"]);
  const read = await Promise.all(Object.values(await filesOf(folder)).map(parquetRows));
  expect(read.flat()).toEqual(rows.map(withoutPartitions));
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
  expect(files).toEqual([rows.slice(0, 3), changed, rows.slice(5)].map((part) => part.map(withoutPartitions)));
  expect((await readdir(folder)).sort()).toEqual(["retailer=acme", "retailer=b%25%3Db"]);
});

test("--max-rows does not replace partitions by parts of them", async () => {
  const folder = join(await temporaryFolder(), "out");
  await exportTo(folder, ["-f", "ndjson"]);
  const before = await filesOf(folder);
  expect(await exportTo(folder, ["-f", "ndjson", "--max-rows", "1"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("would replace partitions of"),
  });
  expect(await filesOf(folder)).toEqual(before);
});

test.each([
  ["another format", ["-f", "csv", "--partition-by", "retailer,crawl_date"], "crawl_date=2026-01-01/part-0.ndjson"],
  [
    "more columns",
    ["-f", "ndjson", "--partition-by", "retailer,crawl_date,category"],
    "crawl_date=2026-01-01/part-0.ndjson",
  ],
  ["fewer columns", ["-f", "ndjson", "--partition-by", "retailer"], "retailer=acme/crawl_date=2026-01-01"],
  ["other columns", ["-f", "ndjson", "--partition-by", "crawl_date"], "retailer=acme"],
])("a folder with partitions of %s is refused, because readers would count rows twice", async (_, flags, inTheWay) => {
  const folder = join(await temporaryFolder(), "out");
  await exportTo(folder, ["-f", "ndjson"]);
  const before = await filesOf(folder);
  const { code, stderr } = await runInProcess(["export", "-o", folder, ...flags], { service: await shared() });
  expect({ code, stderr: stderr.replace(/\s+/g, " ") }).toEqual({
    code: 2,
    stderr: expect.stringMatching(new RegExp(`${inTheWay} is of another layout or format than --partition-by`)),
  });
  expect(await filesOf(folder)).toEqual(before);
});

test.each([["csv", "--bom"], ["tsv", "--compress", "gzip"], ["parquet"]])(
  "files in %s are replaced by those with the same columns only, because programs take one file's columns for all",
  async (format, ...flags) => {
    const folder = join(await temporaryFolder(), "out");
    const run = (...more: string[]) => exportTo(folder, ["-f", format, ...flags, ...more]);
    const outcomes = [await run("--columns", "sku,title"), await run("--columns", "sku,title,retailer")];
    const before = await filesOf(folder);
    const others = [await run(), await run("--columns", "sku,brand")];
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    expect(others.map(({ code, stderr }) => [code, stderr.replace(/\s+/g, " ")])).toEqual(
      Array(2).fill([
        2,
        expect.stringMatching(
          /part-0\.\S+ has the columns sku, title, which are not those of this export, .* Export with --columns sku,title, or/,
        ),
      ]),
    );
    expect(await filesOf(folder)).toEqual(before);
  },
);

test("a file of somebody else in the place of a partition's is not replaced, and no columns of it are suggested", async () => {
  const folder = join(await temporaryFolder(), "out");
  const place = join(folder, "retailer=acme/crawl_date=2026-01-01");
  await mkdir(place, { recursive: true });
  await writeFile(join(place, "part-0.csv"), "mine\n1\n");
  const { code, stderr } = await exportTo(folder, ["-f", "csv"]);
  expect({ code, stderr: stderr.replace(/\s+/g, " ") }).toEqual({
    code: 2,
    stderr: expect.stringMatching(
      /has the columns mine, which are not those of this export, .* both\. Export to another folder\./,
    ),
  });
  expect(await readFile(join(place, "part-0.csv"), "utf8")).toBe("mine\n1\n");
});

test("a folder that another process writes is refused", async () => {
  const folder = join(await temporaryFolder(), "out");
  await mkdir(join(folder, ".catalog"), { recursive: true });
  await writeFile(join(folder, ".catalog/lock"), JSON.stringify(await ownerOf(process.ppid)));
  expect(await exportTo(folder, ["-f", "ndjson"])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`is being written by process ${process.ppid}`),
  });
});

test.each([
  [["--partition-by", "brand", "-o", "x"], 'not "brand"'],
  [["--partition-by", "retailer,retailer", "-o", "x"], 'names "retailer" twice'],
  [["--partition-by", "retailer"], "add --output DIR"],
  [
    ["--partition-by", "retailer,category", "-o", "x", "--columns", "category"],
    "--columns names only columns of --partition-by",
  ],
  [["--partition-by", "retailer", "-o", "x", "--no-clobber"], "--no-clobber is for an export to one file"],
])("%j is refused", async (flags, message) => {
  expect(await runInProcess(["export", "--demo", ...flags])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  });
});

async function exportTo(folder: string, flags: readonly string[], others?: readonly Product[]) {
  const service = others === undefined ? await shared() : await startTestService({ rows: others });
  return runInProcess(["export", "--partition-by", "retailer,crawl_date", "-o", folder, ...flags], { service });
}

async function filesOf(folder: string): Promise<Record<string, Buffer>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.includes("part-0.")).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)),
  );
}

function linesOf(bytes: Buffer): Product[] {
  return recordsOf(bytes.toString());
}

test("a value that is too long for a folder name is refused before any page is requested", async () => {
  const folder = join(await temporaryFolder(), "out");
  const long = [...rows, product({ retailer: "é".repeat(124), crawl_date: "2026-01-02" })];
  const { code, stderr } = await exportTo(folder, ["-f", "ndjson", "--verbose"], long);
  expect({ code, matches: stderr.match(/GET \/v1\/catalog/g), stderr: stderr.replace(/\s+/g, " ") }).toEqual({
    code: 2,
    matches: null,
    stderr: expect.stringMatching(/the retailer "é{40}…" is too long for the name of a folder; leave retailer out/),
  });
  expect(await readdir(folder)).toEqual([]);
});

test("a link in the place of a partition's folder is refused, and its target is not changed", async () => {
  const parent = await temporaryFolder();
  const folder = join(parent, "out");
  await mkdir(join(parent, "victim"));
  await mkdir(folder);
  await symlink("../victim", join(folder, "retailer=acme"));
  const { code, stderr } = await exportTo(folder, ["-f", "ndjson"]);
  expect({ code, stderr: stderr.replace(/\s+/g, " ") }).toEqual({
    code: 1,
    stderr: expect.stringContaining("retailer=acme is a symbolic link"),
  });
  expect(await readdir(join(parent, "victim"))).toEqual([]);
});
