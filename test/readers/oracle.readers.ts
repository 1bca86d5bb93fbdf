import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, test } from "vitest";
import { PRODUCT_COLUMNS, type Product } from "../../src/contract/product.ts";
import { addDays, dayOf } from "../../src/contract/values/day-arithmetic.ts";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { canImport, runPython, startPython } from "../helpers/python.ts";
import { startTestService } from "../helpers/service.ts";

const hasPandas = canImport("pandas");
if (!hasPandas) {
  process.stderr.write("not installed, so not tested: pandas\n");
}

const onEnd = afterAllTests();
const today = dayOf(Date.now());
/** Milliseconds to generate and sync the rows, or to answer a question twice, on a busy machine. */
const LONG = 600_000;
let home: string;
let oracle: ReturnType<typeof startPython>;

const scriptAt = (name: string) => resolve("test/readers/prices", name);

/** The rows of the oracle. */
async function answers(question: string, flags: readonly string[]): Promise<Row[]> {
  return JSON.parse(await oracle.ask(JSON.stringify([question, "rows.ndjson", "--today", today, ...flags]))) as Row[];
}

type Row = Record<string, unknown>;
const rowsOf = <R = Row>(ndjson: string): R[] =>
  ndjson
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as R);

/** The rows of the folder in the order of its files, which decides between equal prices. */
async function writeRows(): Promise<void> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const files = `read_parquet('${home}/rows/crawl_date=*/*.parquet', hive_types_autocast = false, file_row_number = true)`;
  await connection.run(
    `COPY (SELECT ${PRODUCT_COLUMNS.join()} FROM ${files} ORDER BY crawl_date, file_row_number)
     TO '${home}/rows.ndjson' (FORMAT json)`,
  );
}

beforeAll(async () => {
  if (!hasPandas) {
    return;
  }
  home = await temporaryFolder(onEnd);
  const rows = rowsOf<Product>(await runPython([scriptAt("generate.py"), "--last", addDays(today, -1)], home));
  const { url, key } = await startTestService({ rows, rateLimit: 1_000_000, onEnd });
  const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
  expect(await runCatalog(["sync", "rows"], { cwd: home, env })).toMatchObject({ code: 0 });
  await writeRows();
  oracle = startPython([scriptAt("oracle.py")], home);
  onEnd(async () => oracle.stop());
  const lines = ["A-00029,,15.2,first", "0001,shop-b,3.50,", "case3,,,any price", "A-00013,shop-a,11,"];
  await writeFile(`${home}/watch.csv`, ["sku,retailer,target_price,note", ...lines, ""].join("\n"));
}, LONG);

/** Fails with the first rows that differ. The tool may have columns that the oracle does not name. */
async function expectEqual(tool: readonly string[], asked: readonly string[]) {
  const told = await runCatalog([...tool, "-f", "ndjson", "-o", "told.ndjson"], { cwd: home });
  expect(told).toMatchObject({ code: 0 });
  const [question = "", ...flags] = asked;
  const expected = await answers(question, flags);
  const rows = rowsOf(await readFile(`${home}/told.ndjson`, "utf8"));
  const columns = Object.keys(expected[0] ?? {});
  const lineOf = (row: Row) => JSON.stringify(columns.map((name) => row[name]));
  const both = { tool: new Set(rows.map(lineOf)), oracle: new Set(expected.map(lineOf)) };
  const onlyIn = (some: Set<string>, others: Set<string>) => [...some].filter((line) => !others.has(line)).slice(0, 5);
  expect({
    rows: rows.length,
    onlyTool: onlyIn(both.tool, both.oracle),
    onlyOracle: onlyIn(both.oracle, both.tool),
  }).toEqual({ rows: expected.length, onlyTool: [], onlyOracle: [] });
  expect(columns).not.toEqual([]);
}

describe.runIf(hasPandas)("an independent implementation answers the same from a crawl full of troubles", () => {
  test.each([
    { flags: [] },
    { flags: ["--since", addDays(today, -60), "--max-age", "none", "--include-suspect"] },
    {
      flags: [
        "--since",
        "latest-20d",
        "--only",
        "drop,new_low",
        "--retailer",
        "shop-a,shop-b",
        "--suspect-factor",
        "3",
      ],
    },
    { flags: ["--brand", "acme", "--category", "lamps,rugs"] },
    { flags: ["--skus", "watch.csv"] },
  ])(
    "movers with $flags",
    async ({ flags }) => {
      await expectEqual(["movers", "rows", "--limit", "1000000", ...flags], ["movers", ...flags]);
    },
    LONG,
  );

  test.each([
    { flags: [] },
    {
      flags: ["--start-date", addDays(today, -60), "--end-date", addDays(today, -20), "--retailer", "shop-b,shop-c"],
    },
    { flags: ["--skus", "watch.csv"] },
    { flags: ["--gone"] },
    { flags: ["--gone", "--end-date", addDays(today, -37), "--max-age", "5d"] },
    { flags: ["--group-by", "brand"] },
    { flags: ["--group-by", "category", "--max-age", "3d", "--department", "home"] },
    { flags: ["--group-by", "brand", "--by", "week"] },
    { flags: ["--by", "month", "--start-date", addDays(today, -70), "--include-suspect"] },
    { flags: ["--group-by", "retailer", "--by", "day", "--end-date", addDays(today, -25)] },
  ])(
    "latest with $flags",
    async ({ flags }) => {
      await expectEqual(["latest", "rows", ...flags], ["latest", ...flags]);
    },
    LONG,
  );

  test(
    "history, with suspect rows, several rows of a day and two currencies",
    async () => {
      const named = (skus: readonly string[]) => skus.flatMap((sku) => ["--sku", sku]);
      const skus = ["A-00029", "SAME3", "case3", "0001"];
      const more = [...skus, "A-00013", "A-00018", "A-00128"];
      await expectEqual(["history", ...more, "rows"], ["history", ...named(more)]);
      const days = ["--start-date", addDays(today, -50), "--end-date", addDays(today, -3)];
      await expectEqual(["history", ...skus, "rows", ...days], ["history", ...named(skus), ...days]);
    },
    LONG,
  );

  test.each([
    [],
    ["--strict-days"],
    ["--skus", "watch.csv", "--from", "latest-60d"],
    ["--from", addDays(today, -55), "--to", addDays(today, -5)],
  ])(
    "diff %s",
    async (...flags) => {
      await expectEqual(["diff", "rows", ...flags], ["diff", ...flags]);
    },
    LONG,
  );

  test.each([
    { flags: [] },
    { flags: ["--by", "sku", "--max-age", "none", "--include-suspect"] },
    { flags: ["--by", "title", "--end-date", addDays(today, -20), "--retailer", "shop-a,shop-b,shop-thirds"] },
    { flags: ["--by", "brand,title"] },
    { flags: ["--by", "sku", "--rates", "rates.csv", "--currency", "EUR"] },
  ])(
    "compare with $flags",
    async ({ flags }) => {
      await writeFile(`${home}/rates.csv`, "currency,rate\nUSD,0.921234567\nCHF,1.07\nKRW,0.00068\n");
      await expectEqual(["compare", "rows", ...flags], ["compare", ...flags]);
    },
    LONG,
  );

  test.each([
    { flags: [] },
    { flags: ["--start-date", addDays(today, -70), "--end-date", addDays(today, -4), "--retailer", "shop-a,shop-c"] },
  ])(
    "coverage of retailers and days with $flags",
    async ({ flags }) => {
      await expectEqual(["coverage", "rows", "--group-by", "retailer,day", ...flags], ["coverage", ...flags]);
    },
    LONG,
  );

  test.each([
    { flags: [] },
    { flags: ["--since", addDays(today, -40), "--skus", "watch.csv"] },
    { flags: ["--brand", "acme", "--brand", "bölt", "--max-age", "5d", "--end-date", addDays(today, -8)] },
    {
      flags: ["--retailer", "shop-a", "--category", "lamps,rugs", "--suspect-factor", "4", "--skus", "watch.csv"],
    },
  ])(
    "report with $flags",
    async ({ flags }) => {
      const told = await runCatalog(["report", "rows", "-f", "json", ...flags], { cwd: home });
      expect(told).toMatchObject({ code: 0 });
      const [expected] = await answers("report", flags);
      const { since: _, newest_day: __, ...sections } = JSON.parse(told.stdout);
      // The order of the rows of a list is not compared.
      const linesOf = (rows: Row[]) => rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
      const comparable = ({ figures, ...lists }: Record<string, Row[]>) => ({
        figures,
        ...Object.fromEntries(Object.entries(lists).map(([name, rows]) => [name, linesOf(rows)])),
      });
      expect(comparable(sections)).toEqual(comparable(expected as Record<string, Row[]>));
    },
    LONG,
  );

  test.each([
    { flags: [] },
    { flags: ["--base", addDays(today, -30), "--start-date", addDays(today, -60), "--max-age", "none"] },
    { flags: ["--end-date", addDays(today, -25), "--max-age", "3d", "--include-suspect"] },
    { flags: ["--retailer", "shop-a,shop-b", "--category", "lamps,rugs"] },
  ])(
    "index of a basket with $flags",
    async ({ flags }) => {
      // With suspect rows, several rows of a day and two currencies.
      const troubled = [",A-00013,1", ",A-00018,2.5", ",A-00029,0.001", ",0001,7", ",case3,1"];
      const lines = [
        ...["shop-a,A-00086,2", "shop-a,A-00087,0.5", "shop-a,none,1", "shop-b,B-00036,1", ",A-00040,", ",C-00088,3"],
        ...troubled,
      ];
      await writeFile(`${home}/basket.csv`, ["retailer,sku,quantity", ...lines, ""].join("\n"));
      await expectEqual(["index", "basket.csv", "rows", ...flags], ["index", "--basket", "basket.csv", ...flags]);
    },
    LONG,
  );

  test.each([
    { product: ["shop-a", "A-00013"], day: [] },
    { product: ["shop-a", "A-00020"], day: [] },
    { product: ["shop-a", "A-00029"], day: [] },
    { product: ["shop-a", "A-00128"], day: [addDays(today, -37)] },
    { product: ["shop-b", "SAME3"], day: [addDays(today, -20)] },
  ])(
    "why $product $day",
    async ({ product: [retailer = "", sku = ""], day }) => {
      const flags = ["--retailer", retailer, "--sku", sku, ...day.flatMap((end) => ["--end-date", end])];
      await expectEqual(["why", retailer, sku, ...day, "rows"], ["why", ...flags]);
    },
    LONG,
  );
});
