import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { readXlsx } from "hucre/xlsx";
import { beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import type { Product } from "../../src/contract/product.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { COMBINATION, coverageBody, META } from "../helpers/envelopes.ts";
import { answer, startFaultServer } from "../helpers/fault-server.ts";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";
import { interruptible, startInterruptibleService } from "../helpers/interruption.ts";
import { product, products } from "../helpers/products.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { sixteenDays, syncedFolder } from "../helpers/synced-folder.ts";

const ROWS: readonly Product[] = [
  product({ sku: "00123", mrp: 19.9, title: "=1+1 \u0001_x0041_", image_url: "" }),
  product({ sku: "1E5", color: "red", url: "https://shop.example/ü?a=1&b=2" }),
  ...products(30, { category: "chairs" }),
];

describe("the sheet of", () => {
  const onEnd = afterAllTests();
  let service: TestService;
  let copy: string;

  beforeAll(async () => {
    service = await startTestService({ rows: ROWS, onEnd });
    const rows = [...sixteenDays(), product({ crawl_date: "2026-01-16", sku: "007" })];
    const folder = await syncedFolder(rows, onEnd);
    copy = folder;
  });

  test.each([
    ["export", []],
    ["export", ["--columns", "crawl_date,sku,selling_price"]],
    ["export", ["--max-rows", "7"]],
    ["sample", []],
    ["sample", ["--sort", "selling_price", "--columns", "sku,color", "-n", "3"]],
    ["coverage", []],
    ["coverage", ["--group-by", "retailer"]],
  ])("%s %j holds what ndjson does", async (command, flags) => {
    const cwd = await temporaryFolder();
    const sheet = await runInProcess([command, ...flags, "-o", "./rows.xlsx"], { cwd, service });
    const ndjson = await runInProcess([command, ...flags, "-f", "ndjson"], { service });
    expect({ sheet, code: ndjson.code }).toEqual({ sheet: { code: EXIT.ok, stdout: "", stderr: "" }, code: EXIT.ok });
    expect(await sheetRowsOf(join(cwd, "rows.xlsx"))).toEqual(recordsOf(ndjson.stdout));
  });

  test.each([
    ["diff", ["--against", ".", "--from", "2026-01-02", "--to", "2026-01-16"]],
    ["history", ["s1", "./"]],
    ["movers", [".", "--since", "2026-01-05"]],
  ])("%s %j holds what ndjson does, its days as dates", async (command, flags) => {
    const file = join(await temporaryFolder(), "rows.xlsx");
    const sheet = await runInProcess([command, ...flags, "-f", "xlsx", "-o", file], { cwd: copy });
    const ndjson = await runInProcess([command, ...flags, "-f", "ndjson"], { cwd: copy });
    expect({ sheet, code: ndjson.code }).toEqual({ sheet: { code: EXIT.ok, stdout: "", stderr: "" }, code: EXIT.ok });
    const records = await sheetRowsOf(file);
    expect(records).toEqual(recordsOf(ndjson.stdout));
    expect(records.length).toBeGreaterThan(0);
    const dates = (await sheetOf(file)).rows[1]?.filter((value) => value instanceof Date);
    expect(dates?.length).toBeGreaterThan(0);
  });

  test.each(["export", "sample"])("%s has links only with --links", async (command) => {
    const links = async (...flags: string[]) => {
      const file = join(await temporaryFolder(), "rows.xlsx");
      expect(await runInProcess([command, "-o", file, ...flags], { service })).toMatchObject({
        code: EXIT.ok,
        stderr: "",
      });
      return [...((await sheetOf(file)).cells?.values() ?? [])].flatMap(({ hyperlink }) => hyperlink?.target ?? []);
    };
    expect({ links: await links(), linkCount: (await links("--links")).length }).toEqual({
      links: [],
      linkCount: ROWS.length * 2 - 1,
    });
  });

  test("an export is the same through a pipe", async () => {
    const cwd = await temporaryFolder();
    expect((await runInProcess(["export", "-o", "./rows.xlsx"], { cwd, service })).code).toBe(EXIT.ok);
    const stdout = new PassThrough();
    const written = buffer(stdout);
    await runInProcess(["export", "-f", "xlsx"], { service, stdout });
    stdout.end();
    expect((await written).equals(await readFile(join(cwd, "rows.xlsx")))).toBe(true);
  });

  test("each partition is a workbook of its own", async () => {
    const folder = join(await temporaryFolder(), "out");
    const args = ["export", "-f", "xlsx", "--partition-by", "category", "-o", folder];
    expect(await runInProcess(args, { service })).toEqual({ code: EXIT.ok, stdout: "", stderr: "" });
    const skus = async (category: string) =>
      (await sheetRowsOf(join(folder, `category=${category}`, "part-0.xlsx"))).map(({ sku }) => sku);
    expect([await skus("lamps"), await skus("chairs")]).toEqual([
      ROWS.slice(0, 2).map(({ sku }) => sku),
      ROWS.slice(2).map(({ sku }) => sku),
    ]);
  });
});

describe("an interrupted export of a sheet", () => {
  const rows = Array.from({ length: 5 }, (_, index) => products(30, { category: `category-${index}` })).flat();
  const args = ["--page-size", "10", "--concurrency", "4"];

  test("continues after each crash, asks for no page again, and gives the same file", async () => {
    const service = await startInterruptibleService({ rows });
    const whole = await interruptible("rows.xlsx", args, service);
    expect((await whole.run()).code).toBe(EXIT.ok);
    const cut = await interruptible("rows.xlsx", args, service);
    for (const pages of [1, 10]) {
      await cut.crash(pages, "--resume");
    }
    const { code, stderr } = await cut.run("--resume", "--manifest");
    expect({ code, stderr, pages: cut.pages() }).toEqual({ code: EXIT.ok, stderr: "", pages: 15 });
    expect(cut.repeats()).toBeLessThanOrEqual(5);
    const [file, expected] = [join(cut.cwd, "rows.xlsx"), join(whole.cwd, "rows.xlsx")];
    expect((await readFile(file)).equals(await readFile(expected))).toBe(true);
    const idsOf = (records: readonly unknown[]) => records.map((row) => (row as Product).product_id).sort();
    expect(idsOf(await sheetRowsOf(file))).toEqual(idsOf(rows));
    expect((await readdir(cut.cwd)).sort()).toEqual(["rows.xlsx", "rows.xlsx.manifest.json"]);
    const verified = await runInProcess(["verify", "./rows.xlsx"], { cwd: cut.cwd });
    expect(verified).toMatchObject({ code: EXIT.ok, stdout: expect.stringContaining("150 rows, ") });
  });
});

describe("too many rows for a sheet", () => {
  const coverage = (...counts: number[]) => {
    const matching_rows = counts.reduce((sum, rows) => sum + rows, 0);
    const meta = { ...META, coverage: { ...META.coverage, combinations: counts.length, matching_rows } };
    const entries = counts.map((rows, index) => {
      const category = `c${index}`;
      return { ...COMBINATION, category, rcd: `acme:${category}:home`, matching_rows: rows, corpus_rows: rows };
    });
    return coverageBody(entries, { ...meta, coverage: { ...meta.coverage, corpus_rows: matching_rows } });
  };

  test.each([
    [[600_000, 448_576], [], "the filters match 1,048,576 rows, and a sheet of xlsx has at most 1,048,575"],
    [[600_000, 448_576], ["--dry-run"], "split the rows with --partition-by"],
    [[1_048_576, 5], ["--partition-by", "category"], "the partition c0 has 1,048,576 rows"],
    [[1_048_576], ["--max-rows", "1048576"], "write csv or parquet"],
  ])("of %j rows, with %j, are refused before the first page", async (counts, flags, message) => {
    const { cwd, requests, code, stderr } = await exportOf(coverage(...counts), flags);
    expect({ code, stderr: stderr.replace(/\s+/g, " ") }).toEqual({
      code: EXIT.usage,
      stderr: expect.stringContaining(message),
    });
    expect(requests.map(({ target }) => target)).toEqual(["/v1/coverage"]);
    // The folder of a partitioned export is made before it asks.
    expect((await readdir(cwd, { recursive: true })).filter((name) => name !== "out")).toEqual([]);
  });

  test.each([
    [[600_000, 448_575], []],
    [
      [600_000, 448_576],
      ["--max-rows", "1048575"],
    ],
    [
      [1_048_575, 5],
      ["--partition-by", "category"],
    ],
    [[1_048_576], ["--partition-by", "crawl_date"]],
  ])("are not seen in %j with %j", async (counts, flags) => {
    const { requests } = await exportOf(coverage(...counts), flags);
    expect(requests.length).toBeGreaterThan(1);
  });

  async function exportOf(body: string, flags: readonly string[]) {
    const cwd = await temporaryFolder();
    const server = await startFaultServer(({ target }) =>
      answer(target.startsWith("/v1/coverage") ? { body } : { status: 400, body: "{}" }),
    );
    const output = flags.includes("--partition-by") ? "out" : "rows.xlsx";
    const args = ["export", "-f", "xlsx", "-o", join(cwd, output), ...flags];
    return { cwd, requests: server.requests, ...(await runInProcess(args, { service: server })) };
  }
});

describe("a sheet is refused", () => {
  test.each([
    ["export", ["-f", "xlsx", "--compress", "gzip", "-o", "./rows.xlsx"], "xlsx is already compressed (ZIP)"],
    ["sample", ["-o", "./rows.xlsx.gz"], "catalog sample --demo -o rows.xlsx\n"],
    ["export", ["-f", "xlsx", "--excel", "-o", "./rows.xlsx"], "--excel is for csv and tsv, not for xlsx"],
    ["export", ["--links", "-o", "./rows.csv"], "--links is for xlsx, not for csv"],
  ])("%s %j", async (command, flags, message) => {
    const cwd = await temporaryFolder();
    const { code, stderr } = await runInProcess([command, "--demo", ...flags], { cwd });
    expect({ code, stderr, files: await readdir(cwd) }).toEqual({
      code: EXIT.usage,
      stderr: expect.stringContaining(message),
      files: [],
    });
  });

  test("on a terminal, with the flag that writes a file", async () => {
    expect(await runInProcess(["sample", "--demo", "-f", "xlsx"], { columns: 200 })).toMatchObject({
      code: EXIT.usage,
      stdout: "",
      stderr: expect.stringContaining("use -o FILE.xlsx"),
    });
  });
});

async function sheetOf(file: string) {
  const [sheet] = (await readXlsx(await readFile(file))).sheets;
  if (sheet === undefined) {
    throw new Error(`${file} has no sheet`);
  }
  return sheet;
}

/** The rows of a sheet as objects by its header, dates as the API writes them. */
async function sheetRowsOf(file: string): Promise<Record<string, unknown>[]> {
  const [header = [], ...rows] = (await sheetOf(file)).rows;
  const shown = (value: unknown) => (value instanceof Date ? value.toISOString().slice(0, 10) : value);
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, shown(row[index] ?? null)])));
}
