import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { PRODUCT_COLUMNS, type Product } from "../../../src/contract/product.ts";
import type { RowError } from "../../../src/files/content-error.ts";
import { sqlText } from "../../../src/files/duckdb.ts";
import { loadRows } from "../../../src/service/load/load-rows.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { openPaths } from "../../helpers/durability.ts";
import { parquetOfQuery } from "../../helpers/parquet-files.ts";
import { product, products } from "../../helpers/products.ts";
import { failureOf } from "../../helpers/test-client.ts";
import { loadContent, testStore, walk } from "../store/stores.ts";

const AWKWARD = [
  ...['red, "dark" é😀', "\ufeffmarked", "\0nul\0", "\u202ebidi", "x".repeat(30_000), ""].map((title) => ({ title })),
  ...[5e-324, 1.79e308, -0.1, 1e21, 0.1 + 0.2, 4.35].map((mrp) => ({ mrp })),
  { color: "" },
].map((values, index) => product({ sku: `sku-${String(index).padStart(2, "0")}`, ...values }));

test.each([
  "CODEC uncompressed",
  "CODEC snappy",
  "CODEC gzip",
  "CODEC zstd",
  "CODEC brotli",
  "CODEC lz4_raw",
  "PARQUET_VERSION v2",
])("values are read as they were written with %s", async (option) => {
  const bytes = await parquetOfQuery(rowsQuery(AWKWARD), [option]);
  const read = (await bodies(bytes)).map((body) => JSON.parse(body));
  expect(read).toEqual(AWKWARD);
});

test.each(["DATE", "TIMESTAMP"])("the first and the last year are read from days of type %s", async (type) => {
  for (const crawl_date of ["0000-02-29", "9999-12-31"]) {
    const bytes = await parquetOfQuery(rowsQuery([product()], { crawl_date: `'${crawl_date}'::${type}` }));
    expect((await bodies(bytes)).map((body) => JSON.parse(body).crawl_date)).toEqual([crawl_date]);
  }
});

test("rows are read from a file with several row groups, whatever characters its name has", async () => {
  const written = products(2_100).map((row, index) => ({ ...row, color: index % 2 === 0 ? null : "red" }));
  const path = join(await temporaryFolder(), "ro'w[s]*?.parquet");
  await writeFile(path, await parquetOfQuery(rowsQuery(written), ["ROW_GROUP_SIZE 2048"]));
  const store = await testStore();
  expect(await loadRows(store, { name: path, path })).toMatchObject({ added: 2_100 });
  expect(await walk(store)).toEqual(written.map((row) => JSON.stringify(row)));
  await vi.waitFor(() => expect(openPaths(path)).toEqual([]));
});

test("decimals and integers keep their digits", async () => {
  const query = rowsQuery([product()], {
    mrp: "19.90::DECIMAL(9, 2)",
    selling_price: "-9007199254740.993::DECIMAL(38, 3)",
    discount_pct: "9007199254740993::BIGINT",
  });
  expect(await bodies(await parquetOfQuery(query))).toEqual([
    JSON.stringify(product())
      .replace(":20,", ":19.90,")
      .replace(":15,", ":-9007199254740.993,")
      .replace(":25,", ":9007199254740993,"),
  ]);
});

test("a number in four bytes is the shortest one that it can stand for", async () => {
  const query = rowsQuery([product()], {
    mrp: "19.9::FLOAT",
    selling_price: "-0.05::FLOAT",
    discount_pct: "1e21::FLOAT",
  });
  const [body = ""] = await bodies(await parquetOfQuery(query));
  expect(JSON.parse(body)).toEqual(product({ mrp: 19.9, selling_price: -0.05, discount_pct: 1e21 }));
});

test.each([
  "crawl_date::DATE",
  "crawl_date::TIMESTAMP",
  "crawl_date::TIMESTAMP_NS",
  "(crawl_date || ' 00:00:00+00')::TIMESTAMPTZ",
])("the day of %s is read in any time zone", async (crawl_date) => {
  expect(await bodies(await parquetOfQuery(rowsQuery([product()], { crawl_date })))).toEqual([
    JSON.stringify(product()),
  ]);
});

test("texts that are not marked as UTF-8 are texts, as older versions of Spark write them", async () => {
  const bytes = await parquetOfQuery(rowsQuery([product()], { title: "title::BLOB", brand: "brand::BLOB" }));
  expect(await bodies(bytes)).toEqual([JSON.stringify(product())]);
});

test("a compressed file that grows beyond 256 MiB is refused", async () => {
  const mebibyte = gzipSync(Buffer.alloc(2 ** 20));
  const bytes = Buffer.concat([gzipSync(Buffer.from("PAR1")), ...Array.from({ length: 256 }, () => mebibyte)]);
  const error = await failureOf(bodies(bytes, "rows.parquet.gz"));
  expect(bytes.length).toBeLessThan(2 ** 19);
  expect((error as Error).message).toBe(
    "is a Parquet file longer than 268435456 bytes; store it uncompressed in a file, which can be read in parts",
  );
});

test("a compressed file on standard input is recognised by its content", async () => {
  const bytes = await parquetOfQuery(rowsQuery([product()]));
  expect(await bodies(gzipSync(bytes), "standard input")).toEqual([JSON.stringify(product())]);
});

test.each([
  ["a column that is a list", rowsQuery([product()], { brand: "[brand]" }), { field: "brand", expected: "a string" }],
  ["a missing price", rowsQuery([product()], { mrp: "NULL::DOUBLE" }), { field: "mrp", found: "null" }],
  ["a price that is no number", rowsQuery([product()], { mrp: "'nan'::DOUBLE" }), { field: "mrp", found: '"NaN"' }],
  ["a price that is a span", rowsQuery([product()], { mrp: "INTERVAL 1 DAY" }), { field: "mrp", found: '"1 day"' }],
  [
    "a time of the day",
    rowsQuery([product()], { crawl_date: "'2026-01-15 12:00:00'::TIMESTAMP" }),
    { field: "crawl_date" },
  ],
])("%s is refused with its row and field", async (_name, query, facts) => {
  const error = await failureOf(bodies(await parquetOfQuery(query)));
  expect((error as RowError).facts).toMatchObject({ line: 1, ...facts });
});

test("a decimal that DuckDB would read as another number is refused", async () => {
  // Written by pyarrow: DuckDB writes no such decimal. The price of its row is 19.90.
  const file = join(import.meta.dirname, "files/pyarrow-decimal-40.parquet");
  const error = await failureOf(bodies(await readFile(file)));
  const expected = "a decimal of at most 38 digits";
  expect((error as RowError).facts).toEqual({ line: 1, field: "mrp", found: "one of 40", expected });
});

test("all wrong columns are named", async () => {
  const bytes = await parquetOfQuery(`SELECT 1 AS price, * EXCLUDE (brand) FROM (${rowsQuery([product()])})`);
  await expect(bodies(bytes)).rejects.toThrow(/no brand; unknown "price"/);
});

test("a truncated file is not Parquet", async () => {
  const bytes = await parquetOfQuery(rowsQuery([product()]));
  await expect(bodies(bytes.subarray(0, -20))).rejects.toThrow(/^cannot be read as Parquet: .*No magic bytes.*$/);
});

async function bodies(bytes: Uint8Array, name = "rows.parquet"): Promise<string[]> {
  const store = await testStore();
  await loadContent(store, bytes, { name });
  return await walk(store);
}

/** A query of product rows. @param expressions SQL of columns that are not texts and doubles as they are */
function rowsQuery(rows: readonly Product[], expressions: Readonly<Record<string, string>> = {}): string {
  const tuples = rows.map((row) => `(${PRODUCT_COLUMNS.map((name) => literal(row[name])).join(", ")})`);
  const columns = PRODUCT_COLUMNS.map((name) => `${expressions[name] ?? name} AS ${name}`);
  return `SELECT ${columns.join(", ")} FROM (VALUES ${tuples.join(", ")}) AS rows(${PRODUCT_COLUMNS.join(", ")})`;
}

/** A NUL would end the statement. */
function literal(value: string | number | null): string {
  if (typeof value === "string") {
    return `(${value.split("\0").map(sqlText).join(" || chr(0) || ")})`;
  }
  return value === null ? "NULL::VARCHAR" : `'${value}'::DOUBLE`;
}
