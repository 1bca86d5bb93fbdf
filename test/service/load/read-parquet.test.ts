import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { SchemaElement } from "hyparquet";
import { type BasicType, ByteWriter, ParquetWriter, parquetWriteBuffer } from "hyparquet-writer";
import { expect, onTestFinished, test, vi } from "vitest";
import { EXIT } from "../../../src/contract/errors.ts";
import { PRODUCT_COLUMNS, type Product } from "../../../src/contract/product.ts";
import type { LoadError, RowError } from "../../../src/service/load/load-error.ts";
import { loadRows } from "../../../src/service/load/load-rows.ts";
import { runCatalog, startCatalog, temporaryFolder } from "../../helpers/cli.ts";
import { openPaths } from "../../helpers/durability.ts";
import { product, products } from "../../helpers/products.ts";
import { failureOf } from "../../helpers/test-client.ts";
import { testStore, walk } from "../store/stores.ts";

type Values = Record<string, unknown[]>;

test("rows are read from a file with several row groups", async () => {
  const written = products(25).map((row, index) => ({ ...row, color: index % 2 === 0 ? null : 'red, "dark" é😀' }));
  const path = join(await temporaryFolder(), "rows.parquet");
  await writeFile(path, encode(valuesOf(written), { rowGroupSize: 10 }));
  const store = await testStore();
  expect(await loadRows(store, { name: path, path })).toEqual({ read: 25, added: 25, alreadyPresent: 0, removed: 0 });
  expect(await walk(store)).toEqual(written.map((row) => JSON.stringify(row)));
  await vi.waitFor(() => expect(openPaths(path)).toEqual([]));
});

test("decimals of every width keep their digits, and dates are dates", async () => {
  const values: Values = {
    ...valuesOf([product()]),
    mrp: [1990n],
    selling_price: [-9_007_199_254_740_993n],
    discount_pct: [-123n],
    crawl_date: [new Date("2026-01-15T00:00:00Z")],
  };
  const bytes = encode(values, {
    schema: schemaOf({
      mrp: { type: "INT32", converted_type: "DECIMAL", precision: 9, scale: 2 },
      selling_price: { type: "INT64", converted_type: "DECIMAL", precision: 18, scale: 3 },
      discount_pct: { type: "FIXED_LEN_BYTE_ARRAY", type_length: 3, converted_type: "DECIMAL", precision: 6, scale: 2 },
      crawl_date: { type: "INT32", converted_type: "DATE" },
    }),
  });
  expect(await bodies(bytes)).toEqual([
    JSON.stringify(product())
      .replace(":20,", ":19.90,")
      .replace(":15,", ":-9007199254740.993,")
      .replace(":25,", ":-1.23,"),
  ]);
});

test("a compressed file that grows beyond 256 MiB is refused", async () => {
  const mebibyte = gzipSync(Buffer.alloc(2 ** 20));
  const bytes = Buffer.concat([gzipSync(Buffer.from("PAR1")), ...Array.from({ length: 300 }, () => mebibyte)]);
  const error = await failureOf(bodies(bytes, "rows.parquet.gz"));
  expect(bytes.length).toBeLessThan(2 ** 19);
  expect((error as LoadError).message).toMatch(/^rows\.parquet\.gz: is a Parquet file longer than 268435456 bytes/);
});

test("a row group with too many rows is refused", async () => {
  const schema = schemaOf({ mrp: DOUBLE, selling_price: DOUBLE, discount_pct: DOUBLE });
  const file = new ByteWriter();
  const writer = new ParquetWriter({ writer: file, schema });
  await writer.write({ columnData: columnsOf(valuesOf([product()])) });
  for (const group of writer.row_groups) {
    // The number in the footer is refused before any row is read.
    group.num_rows = 2n ** 20n + 1n;
  }
  await writer.finish();
  const error = await failureOf(bodies(Buffer.from(file.getBytes()), "rows.parquet"));
  expect((error as LoadError).message).toMatch(
    /^rows\.parquet: has a row group of 1048577 rows and \d+ bytes; at most/,
  );
});

/** Runs of a page that claim another number of values than the page has, after the number of bits of each. */
const RUNS = {
  "2,147,483,647 equal values": [1, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0],
  "a negative number of values": [0, 0xff, 0xff, 0xff, 0xff, 0x0f],
};

test.each(Object.entries(RUNS))("a run of %s gives the values that its page has", async (_, run) => {
  const brands = Array.from({ length: 64 }, (_, index) => ({ brand: index % 2 === 0 ? "first" : "second" }));
  const rows = products(64).map((row, index) => ({ ...row, ...brands[index] }));
  const bytes = encode(valuesOf(rows), { codec: "UNCOMPRESSED" });
  // One bit each, eight times eight of them.
  const at = bytes.indexOf(Buffer.from([1, 8 * 2 + 1, ...Array(8).fill(0b10_10_10_10)]));
  expect(at).toBeGreaterThan(0);
  bytes.set(run, at);
  const folder = await temporaryFolder();
  const [path, database] = [join(folder, "rows.parquet"), join(folder, "rows.db")];
  await writeFile(path, bytes);
  // A process of its own can be ended, if it reads without end.
  const child = startCatalog(["service", "load", path, "--database", database]);
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await once(child, "close")).toEqual([EXIT.ok, null]);
  expect(await walk(await testStore(database))).toEqual(rows.map((row) => JSON.stringify({ ...row, brand: "first" })));
});

test("a page that does not say how long its levels are is refused", async () => {
  const bytes = encode(valuesOf(products(64)), { codec: "UNCOMPRESSED" });
  // The numbers in the header's eighth part. The last one, the length of the repetition levels, becomes another field.
  const headers = [...bytes.toString("hex").matchAll(/5c(?:15(?:[89a-f].)?[0-7].){5}1500/g)];
  expect(headers.length).toBe(PRODUCT_COLUMNS.length);
  for (const { index, 0: header } of headers) {
    bytes[(index + header.length) / 2 - 2] = 0x35;
  }
  const path = join(await temporaryFolder(), "rows.parquet");
  await writeFile(path, bytes);
  const { code, stderr } = await runCatalog(["service", "load", path, "--database", `${path}.db`], { timeout: 30_000 });
  expect([code, stderr]).toEqual([EXIT.failure, expect.stringContaining("parquet page lacks a length")]);
});

test("a page that claims more values than a row group may have is refused before they have memory", async () => {
  const bytes = encode(valuesOf(products(64)), { codec: "UNCOMPRESSED" });
  // The number of values is the first of the header's eighth part; 64 and 2^20 + 1 as Thrift writes them.
  const [before, claimed] = [Buffer.from([0x5c, 0x15, 0x80, 0x01]), Buffer.from([0x5c, 0x15, 0x82, 0x80, 0x80, 0x01])];
  const at = bytes.indexOf(before);
  const damaged = Buffer.concat([bytes.subarray(0, at), claimed, bytes.subarray(at + before.length)]);
  await expect(bodies(damaged)).rejects.toThrow(
    /^rows\.parquet: cannot be read as Parquet: a page of 1048577 values; at most 1048576 are read/,
  );
});

test("a row group with another column than the schema is refused, whatever else is wrong with it", async () => {
  const bytes = encode(valuesOf(products(2)), { codec: "UNCOMPRESSED" });
  // The name in the row group comes last.
  bytes.write("brazd", bytes.lastIndexOf("brand"));
  await expect(bodies(bytes)).rejects.toThrow("cannot be read as Parquet: a row group has other columns than the file");
});

test("a compressed file on standard input is recognised by its content", async () => {
  expect(await bodies(gzipSync(encode(valuesOf([product()]))), "standard input")).toEqual([JSON.stringify(product())]);
});

test.each([
  [
    "an unknown column",
    { ...valuesOf([product()]), price: [1] },
    { line: 1, found: 'a column "price"', expected: "only the plain columns of the contract" },
  ],
  [
    "a missing column",
    without(valuesOf([product()]), "brand"),
    { line: 1, field: "brand", found: "none", expected: "a value" },
  ],
  [
    "an empty price",
    valuesOf([product(), product({ sku: "2", mrp: Number.NaN })]),
    { line: 2, field: "mrp", found: "null", expected: "a number" },
  ],
])("the error for %s names row and field", async (_name, values: Values, facts) => {
  const error = await bodies(encode(values)).catch((reason: unknown) => reason);
  expect(((error as LoadError).cause as RowError).facts).toEqual(facts);
});

test("a truncated file is not Parquet", async () => {
  await expect(bodies(encode(valuesOf([product()])).subarray(0, -20))).rejects.toThrow(
    /^rows\.parquet: cannot be read as Parquet: /,
  );
});

async function bodies(bytes: Uint8Array, name = "rows.parquet"): Promise<string[]> {
  const store = await testStore();
  const stream = (async function* () {
    yield bytes;
  })();
  await loadRows(store, { name, stream });
  return await walk(store);
}

function valuesOf(rows: readonly Product[]): Values {
  return Object.fromEntries(PRODUCT_COLUMNS.map((column) => [column, rows.map((row) => row[column])]));
}

function without({ ...values }: Values, column: string): Values {
  delete values[column];
  return values;
}

function encode(
  values: Values,
  options: { rowGroupSize?: number; schema?: SchemaElement[]; codec?: "UNCOMPRESSED" } = {},
): Buffer {
  const columnData = columnsOf(values).map(({ name, data }) => ({
    name,
    data,
    ...(options.schema === undefined && {
      type: typeof data[0] === "number" ? ("DOUBLE" as BasicType) : ("STRING" as BasicType),
    }),
  }));
  return Buffer.from(parquetWriteBuffer({ columnData, ...options }));
}

function columnsOf(values: Values): { name: string; data: unknown[] }[] {
  return Object.entries(values).map(([name, data]) => ({ name, data }));
}

const DOUBLE = { type: "DOUBLE" } as const;

function schemaOf(special: Record<string, Partial<SchemaElement>>): SchemaElement[] {
  const columns = PRODUCT_COLUMNS.map((name): SchemaElement => {
    const text = { type: "BYTE_ARRAY", converted_type: "UTF8" } as const;
    return { name, repetition_type: "OPTIONAL", ...(special[name] ?? text) };
  });
  return [{ name: "root", num_children: columns.length }, ...columns];
}
