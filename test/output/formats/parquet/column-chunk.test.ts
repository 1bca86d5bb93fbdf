import fc from "fast-check";
import { parquetMetadata, parquetReadObjects, type SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { snappyCompressor } from "hysnappy";
import { expect, test } from "vitest";
import { ColumnChunkBuilder, type ColumnElement } from "../../../../src/output/formats/parquet/column-chunk.ts";
import { createCompressor } from "../../../../src/output/formats/parquet/parquet-pages.ts";

type Value = string | number | null;

const TEXTS = { name: "color", type: "BYTE_ARRAY", converted_type: "UTF8" } as const;
const PRICES = { name: "mrp", type: "DOUBLE" } as const;
const DAYS = { name: "crawl_date", type: "INT32", converted_type: "DATE" } as const;

test("a column is written as the Parquet library writes it with the same encoding, byte for byte", () => {
  const kinds: [Omit<ColumnElement, "repetition_type">, fc.Arbitrary<Value>][] = [
    [TEXTS, fc.oneof(fc.string({ unit: "grapheme", maxLength: 40 }), fc.constantFrom("", "red", "Sea Green"))],
    // The library takes 0 and -0 for one value.
    [PRICES, fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value))],
    [DAYS, fc.integer({ min: -800_000, max: 800_000 })],
  ];
  for (const [element, value] of kinds) {
    for (const repetition_type of ["OPTIONAL", "REQUIRED"] as const) {
      const nullable = repetition_type === "OPTIONAL" ? fc.option(value, { freq: 4 }) : value;
      fc.assert(
        fc.property(fc.array(nullable, { minLength: 1, maxLength: 200 }), repeats, (distinct, times) => {
          const values = times.map((place) => distinct[place % distinct.length] ?? null);
          if (repetition_type === "OPTIONAL" || !values.includes(null)) {
            assertAsLibrary({ ...element, repetition_type }, values);
          }
        }),
        { numRuns: 25 },
      );
    }
  }
});

test("plain values are divided into pages of about 1 MiB, also between nulls", () => {
  const values = Array.from({ length: 9_000 }, (_, row) => (row % 3 === 1 ? null : `${row} ${"long ".repeat(80)}`));
  const { encodings, pages } = assertAsLibrary({ ...TEXTS, repetition_type: "OPTIONAL" }, values);
  expect([encodings, pages]).toEqual([["PLAIN"], 3]);
});

test("values that repeat are numbers of a dictionary, however many rows lie between", async () => {
  const values = Array.from({ length: 10_000 }, (_, row) => `https://shop.example/dp/${row % 4_000}`);
  const { encodings, file } = assertAsLibrary({ ...TEXTS, repetition_type: "REQUIRED" }, values);
  expect(encodings).toEqual(["PLAIN", "RLE_DICTIONARY"]);
  expect(await textsOf(file)).toBe(values.join("\n"));
});

test("a column with more distinct values than a dictionary may have is plain, with all values in order", async () => {
  const values = Array.from({ length: 9_000 }, (_, row) => `${row < 6_000 ? row : row % 7}`);
  const { encodings, file } = assertAsLibrary({ ...TEXTS, repetition_type: "REQUIRED" }, values);
  expect(encodings).toEqual(["PLAIN"]);
  expect(await textsOf(file)).toBe(values.join("\n"));
});

test("a builder starts each row group without the values of the ones before", () => {
  const element = { ...TEXTS, repetition_type: "OPTIONAL" } as const;
  const chunkOf = (builder: ColumnChunkBuilder, values: readonly Value[]) => {
    const bytes = new ByteWriter();
    fill(builder, values);
    builder.write(bytes, createCompressor());
    return Buffer.from(bytes.getBytes());
  };
  const groups: Value[][] = [["red", null, "red", "red"], [null, "blue"], Array(5).fill("red"), [null]];
  for (let group = 0; group < 10; group += 1) {
    groups.push(Array.from({ length: 90 }, (_, row) => `${group} ${row % 30}`));
  }
  const builder = new ColumnChunkBuilder(element);
  const written = groups.map((values) => chunkOf(builder, values));
  expect(written).toEqual(groups.map((values) => chunkOf(new ColumnChunkBuilder(element), values)));
});

test("two values with the same hash are two values", async () => {
  const values = Array.from({ length: 100 }, (_, row) => (row % 2 === 0 ? "sku-0708245" : "sku-0910008"));
  const { encodings, file } = assertAsLibrary({ ...TEXTS, repetition_type: "REQUIRED" }, values);
  expect(encodings).toEqual(["PLAIN", "RLE_DICTIONARY"]);
  expect((await parquetReadObjects({ file })).map(({ color }) => color)).toEqual(values);
});

test("both zeros of doubles are kept, and the bounds include both", async () => {
  const { file } = written({ ...PRICES, repetition_type: "REQUIRED" }, [0, -0, 0, -0, -0, 0]);
  const read = (await parquetReadObjects({ file })).map(({ mrp }) => mrp);
  expect(read).toEqual([0, -0, 0, -0, -0, 0]);
  const bounds = parquetMetadata(file).row_groups[0]?.columns[0]?.meta_data?.statistics;
  expect([bounds?.min_value, bounds?.max_value]).toEqual([-0, 0]);
});

/** Places among the distinct values: few or many of them, in runs or mixed. */
const repeats = fc.oneof(
  fc.array(fc.nat(199), { minLength: 1, maxLength: 400 }),
  fc.array(fc.nat(2), { minLength: 1, maxLength: 400 }),
  fc.array(fc.nat(199), { minLength: 1, maxLength: 20 }).map((places) => places.flatMap((at) => Array(20).fill(at))),
);

function assertAsLibrary(element: ColumnElement, values: readonly Value[]) {
  const ours = written(element, values);
  const bytes = new ByteWriter();
  const schema: SchemaElement[] = [{ name: "schema", num_children: 1 }, element];
  const library = new ParquetWriter({ writer: bytes, schema, compressors: { SNAPPY: snappyCompressor() } });
  const encoding = ours.encodings.at(-1) ?? "PLAIN";
  const columnData = [{ name: element.name, data: [...values], encoding, offsetIndex: false }];
  library.write({ columnData, rowGroupSize: values.length });
  library.pendingIndexes.length = 0;
  library.finish();
  expect(Buffer.from(ours.file).equals(Buffer.from(bytes.getBytes()))).toBe(true);
  return ours;
}

function written(element: ColumnElement, values: readonly Value[]) {
  const bytes = new ByteWriter();
  const file = new ParquetWriter({ writer: bytes, schema: [{ name: "schema", num_children: 1 }, element] });
  const builder = new ColumnChunkBuilder(element);
  fill(builder, values);
  const start = bytes.offset;
  const chunk = builder.write(bytes, createCompressor());
  const num_rows = BigInt(values.length);
  const total_byte_size = chunk.meta_data?.total_uncompressed_size ?? 0n;
  const total_compressed_size = BigInt(bytes.offset - start);
  file.row_groups.push({ columns: [chunk], total_byte_size, num_rows, total_compressed_size });
  file.num_rows = num_rows;
  file.finish();
  const encodings = chunk.meta_data?.encodings ?? [];
  return { file: bytes.getBuffer(), encodings, pages: chunk.meta_data?.encoding_stats?.at(-1)?.count };
}

/** The texts of a column in one, because thousands of values are slow to compare one by one. */
async function textsOf(file: ArrayBuffer): Promise<string> {
  return (await parquetReadObjects({ file })).map(({ color }) => color).join("\n");
}

function fill(builder: ColumnChunkBuilder, values: readonly Value[]): void {
  const view = new DataView(new ArrayBuffer(8));
  for (const value of values) {
    if (value === null) {
      builder.addNull();
    } else if (typeof value === "string") {
      const { buffer, byteOffset, length } = Buffer.from(value);
      builder.add(new DataView(buffer, byteOffset, length), 0, length);
    } else if (builder.name === "mrp") {
      view.setFloat64(0, value, true);
      builder.add(view, 0, 8);
    } else {
      view.setInt32(0, value, true);
      builder.add(view, 0, 4);
    }
  }
}
