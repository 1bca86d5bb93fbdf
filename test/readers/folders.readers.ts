import { createRequire } from "node:module";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, test } from "vitest";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { canImport, READERS_FOLDER, runPython } from "../helpers/python.ts";

/** What these tests use of the packages that `.ci/run` installs beside the project's own. */
interface Polars {
  scanParquet(path: string, options?: { hivePartitioning: boolean }): { collectSync(): { toRecords(): Row[] } };
}
type Row = Record<string, unknown>;

/** Each reads a folder by its usual call; the day as text, or as a number of days since 1970-01-01. */
const READERS: Readonly<Record<string, (folder: string, depth: number) => Promise<Row[]>>> = {
  DuckDB: async (folder, depth) => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const names = ["product_id", "retailer", "crawl_date", "selling_price"];
    const sql = `SELECT ${names.join(", ")} FROM '${folder}/${"*/".repeat(depth)}*.parquet'`;
    const rows = (await connection.runAndReadAll(sql)).getRowsJson();
    return rows.map((row) => Object.fromEntries(row.map((value, index) => [names[index], value])));
  },
  Polars: async (folder, depth) => {
    const { default: polars } = required<{ default: Polars }>("nodejs-polars");
    const files = `${folder}/${"*/".repeat(depth)}*.parquet`;
    return polars.scanParquet(files, { hivePartitioning: true }).collectSync().toRecords();
  },
  pyarrow: (folder) =>
    rowsInPython(
      "import pyarrow.dataset as d",
      `d.dataset(${JSON.stringify(folder)}, partitioning="hive").to_table().to_pylist()`,
    ),
  pandas: (folder) =>
    rowsInPython(
      "import pandas, pyarrow",
      `pandas.read_parquet(${JSON.stringify(folder)})[["product_id", "retailer", "crawl_date", "selling_price"]].astype(str).to_dict("records")`,
    ),
};

/** Readers that refuse a folder with any file of another ending, and so a synced one. */
const STRICT: Readonly<Record<string, (folder: string) => Promise<Row[]>>> = {
  "Polars of Python": (folder) =>
    rowsInPython("import polars", `polars.read_parquet(${JSON.stringify(folder)}).to_dicts()`),
  fastparquet: (folder) =>
    rowsInPython(
      "import fastparquet",
      `fastparquet.ParquetFile(${JSON.stringify(folder)}).to_pandas()[["product_id", "retailer", "crawl_date", "selling_price"]].astype(str).to_dict("records")`,
    ),
};

const NEEDED: Readonly<Record<string, string>> = {
  ...{ pyarrow: "pyarrow", pandas: "pandas, pyarrow", "Polars of Python": "polars", fastparquet: "fastparquet" },
};

/** pip cannot install everywhere, so the readers in Python may be missing; then they have no tests, and the run says so. */
const missing = Object.keys(NEEDED).filter((name) => !canImport(NEEDED[name] ?? ""));
if (missing.length > 0) {
  process.stderr.write(`not installed, so not tested: ${missing.join(", ")}\n`);
}

const onEnd = afterAllTests();
let folder = "";
let expected: string[] = [];

beforeAll(async () => {
  folder = await temporaryFolder(onEnd);
  const partitions = ["--partition-by", "retailer,crawl_date", "-f", "parquet", "-o", join(folder, "partitions")];
  const runs = [
    ["sync", join(folder, "synced")],
    ["export", ...partitions],
  ];
  expect((await Promise.all(runs.map((args) => runCatalog([...args, "--demo"])))).map(({ code }) => code)).toEqual([
    0, 0,
  ]);
  expected = await exported();
});

describe.each(Object.keys(READERS).filter((name) => !missing.includes(name)))("%s reads by its usual call", (name) => {
  test.each([
    ["a synced folder", "synced", 1],
    ["a folder of partitions", "partitions", 2],
  ])("%s", async (_, kind, depth) => {
    expect(inOrder((await READERS[name]?.(join(folder, kind), depth)) ?? [])).toEqual(expected);
  });
});

describe.each(Object.keys(STRICT).filter((name) => !missing.includes(name)))("%s reads by its usual call", (name) => {
  test("a folder of partitions", async () => {
    expect(inOrder((await STRICT[name]?.(join(folder, "partitions"))) ?? [])).toEqual(expected);
  });
});

/** The rows as the service sends them. */
async function exported(): Promise<string[]> {
  const { stdout } = await runCatalog(["export", "--demo", "-f", "ndjson"]);
  const rows = inOrder(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
  expect(rows.length).toBeGreaterThan(20_000);
  return rows;
}

function inOrder(rows: readonly Row[]): string[] {
  return rows
    .map(({ product_id, retailer, crawl_date, selling_price }) =>
      [product_id, retailer, dayOf(crawl_date), Number(selling_price)].join(),
    )
    .sort();
}

function dayOf(day: unknown): string {
  const text = day instanceof Date ? day.toISOString() : String(day);
  return text.slice(0, 10);
}

function required<T>(name: string): T {
  return createRequire(join(READERS_FOLDER, "package.json"))(name) as T;
}

async function rowsInPython(imports: string, expression: string): Promise<Row[]> {
  const script = `import json\n${imports}\nprint(json.dumps(${expression}, default=str))`;
  return JSON.parse(await runPython(["-c", script])) as Row[];
}
