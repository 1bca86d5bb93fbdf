import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { SchemaElement } from "hyparquet";
import { type BasicType, ByteWriter, ParquetWriter, parquetWriteBuffer } from "hyparquet-writer";
import { expect, test } from "vitest";
import { PRODUCT_COLUMNS, type Product } from "../../../src/contract/product.ts";
import type { LoadError, RowError } from "../../../src/service/load/load-error.ts";
import { loadRows } from "../../../src/service/load/load-rows.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
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

function encode(values: Values, options: { rowGroupSize?: number; schema?: SchemaElement[] } = {}): Buffer {
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
