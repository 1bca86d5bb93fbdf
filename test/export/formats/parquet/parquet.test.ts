import fc from "fast-check";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { ContractError } from "../../../../src/contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../../../src/contract/product.ts";
import { createParquetEncoder, ROW_GROUP_ROWS } from "../../../../src/export/formats/parquet/parquet.ts";
import { TEXT_PARSERS } from "../../../../src/export/formats/parquet/parquet-rows.ts";
import { batchOf } from "../../../../src/rows/scan.ts";
import { productRow } from "../../../helpers/products.ts";
import { parquetOf } from "./parquet-of.ts";

test("the schema has the types of the contract, and only color may be null", async () => {
  const { schema } = parquetMetadata(await parquetOf([]));
  const [root, ...columns] = schema.map(({ name, type, repetition_type, converted_type }) =>
    [name, repetition_type, type, converted_type].filter((part) => part !== undefined).join(" "),
  );
  expect(root).toBe("schema");
  expect(columns).toEqual(
    PRODUCT_COLUMNS.map((name) => {
      const repetition = name === "color" ? "OPTIONAL" : "REQUIRED";
      const isNumber = ["mrp", "selling_price", "discount_pct"].includes(name);
      const type = isNumber ? "DOUBLE" : name === "crawl_date" ? "INT32 DATE" : "BYTE_ARRAY UTF8";
      return `${name} ${repetition} ${type}`;
    }),
  );
});

test("no rows make a valid file without row groups", async () => {
  const file = await parquetOf([]);
  expect([await rowsOf(file), parquetMetadata(file).row_groups]).toEqual([[], []]);
});

test("values are read back as they were sent", async () => {
  const row = productRow({ title: '"caf\\u00e9 \\"x\\" 😀"', mrp: "1e2", selling_price: "0.10", discount_pct: "-0.5" });
  expect(await rowsOf(await parquetOf([[row, productRow({ color: '"red"' })]]))).toEqual([
    {
      ...JSON.parse(row),
      title: 'café "x" 😀',
      mrp: 100,
      selling_price: 0.1,
      discount_pct: -0.5,
      color: null,
      crawl_date: new Date("2026-03-01"),
    },
    { ...JSON.parse(productRow()), color: "red", crawl_date: new Date("2026-03-01") },
  ]);
});

test("chosen columns are written in the chosen order", async () => {
  const file = await parquetOf([[productRow()]], { chosen: ["crawl_date", "sku"] });
  expect(
    parquetMetadata(file)
      .schema.slice(1)
      .map(({ name }) => name),
  ).toEqual(["crawl_date", "sku"]);
  expect(await rowsOf(file)).toEqual([{ crawl_date: new Date("2026-03-01"), sku: "S-1" }]);
});

test("the bytes do not depend on the division into batches", async () => {
  const rows = numbered(1_000);
  const whole = await parquetOf([rows]);
  const parts = await parquetOf(Array.from({ length: 100 }, (_, index) => rows.slice(index * 10, index * 10 + 10)));
  expect(Buffer.from(parts).equals(Buffer.from(whole))).toBe(true);
});

test("a row group ends when it is full", async () => {
  const batches = [ROW_GROUP_ROWS + 10, 5].map((count) => Array<string>(count).fill('{"sku":"S-1"}'));
  const { row_groups } = parquetMetadata(await parquetOf(batches, { known: ["sku"] }));
  expect(row_groups.map(({ num_rows }) => num_rows)).toEqual([BigInt(ROW_GROUP_ROWS), 15n]);
});

test("every column of a row group has its minimum, its maximum and its number of nulls", async () => {
  const file = await parquetOf([[productRow({ mrp: "3" }), productRow({ mrp: "1", color: '"red"' })]]);
  const statistics = new Map(
    parquetMetadata(file).row_groups[0]?.columns.map(({ meta_data }) => [
      meta_data?.path_in_schema[0],
      meta_data?.statistics,
    ]),
  );
  expect([...statistics.keys()]).toEqual(PRODUCT_COLUMNS);
  expect(statistics.get("mrp")).toMatchObject({ min_value: 1, max_value: 3, null_count: 0n });
  expect(statistics.get("color")).toMatchObject({ min_value: "red", max_value: "red", null_count: 1n });
  expect(statistics.get("crawl_date")).toMatchObject({ min_value: new Date("2026-03-01") });
});

test("each row group has the bounds of its own texts", async () => {
  const rows = ["Alder", "Birch", "Cedar"].flatMap((brand) =>
    Array.from({ length: ROW_GROUP_ROWS }, (_, row) => `{"brand":"${brand} ${row % 2}"}`),
  );
  const { row_groups } = parquetMetadata(await parquetOf([rows], { known: ["brand"] }));
  const bounds = row_groups.map(({ columns }) => columns[0]?.meta_data?.statistics);
  expect(bounds.map((group) => [group?.min_value, group?.max_value])).toEqual([
    ["Alder 0", "Alder 1"],
    ["Birch 0", "Birch 1"],
    ["Cedar 0", "Cedar 1"],
  ]);
});

test("values that repeat are kept in a dictionary, compressed with Snappy", async () => {
  const columns = parquetMetadata(await parquetOf([numbered(1_000)])).row_groups[0]?.columns ?? [];
  const retailer = columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === "retailer");
  expect(retailer?.meta_data).toMatchObject({ codec: "SNAPPY", encodings: ["PLAIN", "RLE_DICTIONARY"] });
});

test("values with the same hash stay apart", async () => {
  const skus = Array.from({ length: 100 }, (_, row) => (row % 2 === 0 ? "sku-0070805" : "sku-0080200"));
  const file = await parquetOf([skus.map((sku) => `{"sku":"${sku}"}`)], { known: ["sku"] });
  expect(await rowsOf(file)).toEqual(skus.map((sku) => ({ sku })));
});

test("a byte order mark in a text is kept, and a zero has no sign", async () => {
  const rows = ["0", "-0", "0.0", "-0.0"].map((mrp) => `{"title":"\uFEFFDice","mrp":${mrp}}`);
  const file = await parquetOf([rows], { known: ["title", "mrp"] });
  const read = await parquetReadObjects({ file, parsers: TEXT_PARSERS });
  expect(read).toEqual(rows.map(() => ({ title: "\uFEFFDice", mrp: 0 })));
});

test("a number with more digits than a double is reported, one with as many is not", async () => {
  const rounded = new Set<string>();
  const onLoss = (...loss: string[]) => rounded.add(loss.join(" "));
  const exact = productRow({
    mrp: "0.30000000000000004",
    selling_price: "1234567890123450000000",
    discount_pct: "1e22",
  });
  await parquetOf([[exact]], { onLoss });
  expect([...rounded]).toEqual([]);
  const beyond = productRow({ mrp: "12345678901234567890", discount_pct: "0.1000000000000000000001" });
  await parquetOf([[beyond, beyond]], { onLoss });
  expect([...rounded]).toEqual(["digits mrp", "digits discount_pct"]);
});

test.each([
  ["sku", "null"],
  ["sku", "7"],
  ["mrp", '"19.90"'],
  ["mrp", "1e999"],
  ["mrp", "null"],
  ["crawl_date", '"2026-02-30"'],
  ["crawl_date", "null"],
])("%s as %s is refused with the row named", async (column, raw) => {
  const kind = { sku: "string", mrp: "number", crawl_date: "date" }[column];
  await expect(parquetOf([[productRow({ [column]: raw })]])).rejects.toEqual(
    new ContractError(
      `the service sent "${column}" as ${raw} (product_id "p1"), which is no ${kind}; ndjson can carry it`,
    ),
  );
});

test("members beyond the columns and halves of surrogate pairs are reported", async () => {
  const told = new Set<string>();
  const row = productRow({ extra: "1", title: '"\\ud800"' });
  await parquetOf([[row, row]], { onLoss: (...loss) => told.add(loss.join(" ")) });
  expect([...told]).toEqual(["member extra", "surrogate title"]);
});

test("values are the same with and without escapes, and repeated or not", async () => {
  const title = (number: number) => [`Dice ${number % 3}`, `Dé ${number} "x"`, "", "a\\b", "日本"][number % 5] ?? "";
  const prices = ["0", "-0.5", "19.90", "1e2", "123456789012.345", "0.1", "1234567890123456", "-7"];
  const rows = Array.from({ length: 3_000 }, (_, number) => {
    const brand = number % 2 === 0 ? '"Acme"' : '"\\u0041cme"';
    const day = number % 4 === 0 ? '"2026-03\\u002d02"' : '"2026-03-01"';
    const price = prices[number % prices.length];
    return `{"title":${JSON.stringify(title(number))},"brand":${brand},"mrp":${price},"crawl_date":${day}}`;
  });
  const read = await rowsOf(await parquetOf([rows], { known: ["title", "brand", "mrp", "crawl_date"] }));
  expect(read).toEqual(
    rows.map((_, number) => ({
      title: title(number),
      brand: "Acme",
      mrp: Number(prices[number % prices.length]),
      crawl_date: new Date(number % 4 === 0 ? "2026-03-02" : "2026-03-01"),
    })),
  );
});

test("any text is read back as JSON.parse reads it, however it is escaped", async () => {
  const escaped = (unit: string, kind: number) => {
    const code = unit.charCodeAt(0).toString(16).padStart(4, "0");
    return kind === 0 ? `\\u${code}` : unit === "/" && kind === 1 ? "\\/" : JSON.stringify(unit).slice(1, -1);
  };
  const text = fc
    .array(fc.tuple(fc.constantFrom(...'a"\\/\b\f\n\r\té日'), fc.nat(9)), { maxLength: 30 })
    .map((parts) => `"${parts.map(([unit, kind]) => escaped(unit, kind)).join("")}"`);
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 30 }), async (titles) => {
      const file = await parquetOf([titles.map((title) => `{"title":${title}}`)], { known: ["title"] });
      expect(await rowsOf(file)).toEqual(titles.map((title) => ({ title: JSON.parse(title) })));
    }),
  );
});

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => productRow({ sku: `"S-${index}"`, mrp: `${index}.5` }));
}

async function rowsOf(file: ArrayBuffer): Promise<unknown[]> {
  return parquetReadObjects({ file });
}

test("columns of a caller's own have its types: integers with their bounds, and null where it may be", async () => {
  const types = {
    days_old: { kind: "integer", nullable: false },
    share: { kind: "number", nullable: true },
    base: { kind: "date", nullable: false },
  } as const;
  const rows = [
    '{"days_old":300,"share":null,"base":"2026-01-02"}',
    '{"days_old":-9007199254740993,"share":12.5,"base":"2026-01-01"}',
  ];
  const file = await parquetOf([rows], { known: Object.keys(types), types });
  expect(await parquetReadObjects({ file })).toEqual([
    { days_old: 300n, share: null, base: new Date("2026-01-02") },
    { days_old: -9007199254740993n, share: 12.5, base: new Date("2026-01-01") },
  ]);
  const { schema, row_groups } = parquetMetadata(file);
  expect(schema.slice(1).map(({ type, repetition_type }) => [type, repetition_type])).toEqual([
    ["INT64", "REQUIRED"],
    ["DOUBLE", "OPTIONAL"],
    ["INT32", "REQUIRED"],
  ]);
  const { min_value, max_value } = row_groups[0]?.columns[0]?.meta_data?.statistics ?? {};
  expect([min_value, max_value]).toEqual([-9007199254740993n, 300n]);
});

test("a value that is no integer is refused", () => {
  const encoder = createParquetEncoder({ known: ["n"], types: { n: { kind: "integer", nullable: false } } });
  for (const value of ["1.5", "1e3", '"1"', "12345678901234567890"]) {
    expect(() => encoder.encode(batchOf([`{"n":${value}}`], ["n"]))).toThrow(ContractError);
  }
});
