import { readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ContractError } from "../../../src/contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../../src/contract/product.ts";
import { ROW_GROUP_ROWS } from "../../../src/export/formats/parquet.ts";
import { loadEncoder } from "../../../src/export/formats/registry.ts";
import { batchOf } from "../../../src/rows/scan.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { askParquet, bytesOf, parquetColumns, parquetOf, parquetRows } from "../../helpers/parquet-files.ts";
import { productRow } from "../../helpers/products.ts";

const NUMBERS = ["mrp", "selling_price", "discount_pct"];

test("the schema has the types of the contract, compressed with zstd", async () => {
  const columns = await askParquet(
    await parquetOf([[productRow()]]),
    "SELECT path_in_schema AS name, type, compression FROM parquet_metadata(FILE)",
  );
  expect(columns).toEqual(
    PRODUCT_COLUMNS.map((name) => ({
      name,
      type: NUMBERS.includes(name) ? "DOUBLE" : name === "crawl_date" ? "INT32" : "BYTE_ARRAY",
      compression: "ZSTD",
    })),
  );
});

test("no rows make a valid file without row groups", async () => {
  const file = await parquetOf([]);
  const groups = await askParquet(file, "SELECT num_rows, num_row_groups FROM parquet_file_metadata(FILE)");
  expect({ parquetColumns: await parquetColumns(file), groups }).toEqual({
    parquetColumns: PRODUCT_COLUMNS,
    groups: [{ num_rows: "0", num_row_groups: "0" }],
  });
});

test("values are read back as they were sent", async () => {
  const row = productRow({ title: '"caf\\u00e9 \\"x\\" 😀"', mrp: "1e2", selling_price: "0.10", discount_pct: "-0.5" });
  const expected = { ...JSON.parse(row), title: 'café "x" 😀', mrp: 100, selling_price: 0.1, discount_pct: -0.5 };
  const file = await parquetOf([[row, productRow({ color: '"red"' })]]);
  expect(await parquetRows(file)).toEqual([expected, { ...JSON.parse(productRow()), color: "red" }]);
});

test("chosen columns are written in the chosen order", async () => {
  const file = await parquetOf([[productRow()]], { chosen: ["crawl_date", "sku"] });
  expect(await parquetColumns(file)).toEqual(["crawl_date", "sku"]);
  expect(await parquetRows(file)).toEqual([{ crawl_date: "2026-03-01", sku: "S-1" }]);
});

test("the last of two members of one name counts, as in JSON.parse", async () => {
  const file = await parquetOf([['{"sku":"1","sku":"2"}']], { known: ["sku"] });
  expect(await parquetRows(file)).toEqual([{ sku: "2" }]);
});

test("the bytes do not depend on the division into batches", async () => {
  const rows = Array.from({ length: 1_000 }, (_, row) => productRow({ sku: `"S-${row}"`, mrp: `${row}.5` }));
  const whole = await parquetOf([rows]);
  const parts = await parquetOf(Array.from({ length: 100 }, (_, index) => rows.slice(index * 10, index * 10 + 10)));
  expect(parts.equals(whole)).toBe(true);
});

const GROUPS =
  "SELECT DISTINCT row_group_id::INT AS id, row_group_num_rows::INT AS rows FROM parquet_metadata(FILE) ORDER BY ALL";

test("a row group ends when it is full", async () => {
  const batches = [ROW_GROUP_ROWS + 10, 5].map((count) => Array<string>(count).fill('{"sku":"S-1"}'));
  const groups = await askParquet(await parquetOf(batches, { known: ["sku"] }), GROUPS);
  expect(groups).toEqual([
    { id: 0, rows: ROW_GROUP_ROWS },
    { id: 1, rows: 15 },
  ]);
});

test("a row group of very long rows has fewer of them, and a row may have any length", async () => {
  const row = (size: number) => `{"title":"${"long ".repeat(size / 5)}"}`;
  // 80 MB, where a group has at most 64 MiB.
  const batches = Array.from({ length: 40 }, () => Array<string>(100).fill(row(20_000)));
  const file = await parquetOf([...batches, [row(20_000_000)]], { known: ["title"] });
  const counts = (await askParquet(file, GROUPS)).map(({ rows }) => Number(rows));
  expect(counts.reduce((sum, rows) => sum + rows)).toBe(4_001);
  expect(Math.max(...counts)).toBeLessThan(4_000);
  const [longest] = await askParquet(file, "SELECT max(length(title))::INT AS length FROM FILE");
  expect(longest).toEqual({ length: 20_000_000 });
});

test("a byte order mark and a NUL in a text are kept, and a zero has no sign", async () => {
  const rows = ["0", "-0", "0.0", "-0.0"].map((mrp) => `{"title":"\uFEFFDice\\u0000","mrp":${mrp}}`);
  const file = await parquetOf([rows], { known: ["title", "mrp"] });
  const read = await askParquet(file, "SELECT hex(title) AS title, mrp::VARCHAR AS mrp FROM FILE");
  expect(read).toEqual(rows.map(() => ({ title: "EFBBBF4469636500", mrp: "0.0" })));
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
  await expect(parquetOf([[productRow({ [column]: raw })]])).rejects.toStrictEqual(
    new ContractError(
      `the service sent "${column}" as ${raw} (product_id "p1"), which is not a valid ${kind}; ndjson can carry it`,
    ),
  );
});

test("members beyond the columns and halves of surrogate pairs are reported", async () => {
  const told = new Set<string>();
  const titles = ['"\\ud800"', '"\\uDC00x"', '"\\ud83d\\ude00"', '"\\\\ud800"', '"\\ud800\\ud83D\\uDE00"'];
  const rows = titles.map((title) => productRow({ extra: "1", title }));
  const file = await parquetOf([rows], { onLoss: (...loss) => told.add(loss.join(" ")) });
  expect([...told]).toEqual(["member extra", "surrogate title"]);
  const read = (await parquetRows(file)).map(({ title }) => title);
  expect(read).toEqual(["\ufffd", "\ufffdx", "😀", "\\ud800", "\ufffd😀"]);
});

test("any text is read back as JSON.parse reads it, however it is escaped", async () => {
  const escaped = (unit: string, kind: number) => {
    const code = unit.charCodeAt(0).toString(16).padStart(4, "0");
    return kind === 0 ? `\\u${code}` : unit === "/" && kind === 1 ? "\\/" : JSON.stringify(unit).slice(1, -1);
  };
  const text = fc
    .array(fc.tuple(fc.constantFrom(...'a"\\/\b\f\n\r\té日\u202e\u2028'), fc.nat(9)), { maxLength: 30 })
    .map((parts) => `"${parts.map(([unit, kind]) => escaped(unit, kind)).join("")}"`);
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 300 }), async (titles) => {
      const file = await parquetOf([titles.map((title) => `{"title":${title}}`)], { known: ["title"] });
      expect(await parquetRows(file)).toEqual(titles.map((title) => ({ title: JSON.parse(title) })));
    }),
    { numRuns: 5 },
  );
});

test("columns of a caller's own have its types: integers with their bounds, and null where it may be", async () => {
  const types = {
    days_old: { kind: "integer", nullable: false },
    share: { kind: "number", nullable: true },
    "base day": { kind: "date", nullable: false },
  } as const;
  const rows = [
    '{"days_old":300,"share":null,"base day":"2026-01-02"}',
    '{"days_old":-99999999999999999,"share":12.5,"base day":"2026-01-01"}',
  ];
  const file = await parquetOf([rows], { known: Object.keys(types), types });
  expect(await askParquet(file, "SELECT *, typeof(days_old) AS type FROM FILE")).toEqual([
    { days_old: "300", share: null, "base day": "2026-01-02", type: "BIGINT" },
    { days_old: "-99999999999999999", share: 12.5, "base day": "2026-01-01", type: "BIGINT" },
  ]);
});

test.each(["1.5", "1e3", '"1"', "12345678901234567890"])("%s is no integer", async (value) => {
  const types = { n: { kind: "integer", nullable: false } } as const;
  await expect(parquetOf([[`{"n":${value}}`]], { known: ["n"], types })).rejects.toThrow(ContractError);
});

test("files that it needs are removed, those of a killed run first, and only its own", async () => {
  const scratch = join(await temporaryFolder(), "rows [1]*.parquet.partial");
  await writeFile(`${scratch}.rows`, "half a ro");
  await writeFile(`${scratch}.copy`, "PAR1");
  const createEncoder = await loadEncoder("parquet", new AbortController().signal);
  const file = await bytesOf(
    createEncoder({ known: ["sku"] }, async () => scratch),
    [['{"sku":"1"}']],
  );
  expect({ parquetRows: await parquetRows(file), files: await readdir(dirname(scratch)) }).toEqual({
    parquetRows: [{ sku: "1" }],
    files: [],
  });
});

test("a signal ends the writing", async () => {
  const ended = new AbortController();
  const folder = await temporaryFolder();
  const encoder = (await loadEncoder("parquet", ended.signal))({ known: ["sku"] }, async () => join(folder, "scratch"));
  await encoder.encode(batchOf(['{"sku":"1"}'], ["sku"]));
  const reason = new Error("enough");
  ended.abort(reason);
  await expect(bytesOf(encoder, [])).rejects.toBe(reason);
  expect(await readdir(folder)).toEqual([]);
});
