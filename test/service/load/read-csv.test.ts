import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PRODUCT_COLUMNS, type Product } from "../../../src/contract/product.ts";
import type { RowError } from "../../../src/files/content-error.ts";
import { openStore, type Store } from "../../../src/service/store/store.ts";
import { afterAllTests } from "../../helpers/endings.ts";
import { product } from "../../helpers/products.ts";
import { REMOVE_ALL } from "../../helpers/service.ts";
import { loadContent, testStore, walk } from "../store/stores.ts";

const HEADER = PRODUCT_COLUMNS.join(",");
const RECORD = stringify([product()], { columns: [...PRODUCT_COLUMNS] }).trimEnd();

const awkward = fc.string({
  unit: fc.constantFrom('"', ",", "\n", "\r\n", "\r", "\t", "=", "é", "😀", " ", "a", "\u0000"),
});

test.each([";", "\t", "|"])("blank lines before a header that is separated by %j are skipped", async (delimiter) => {
  const text = stringify([product()], { header: true, columns: [...PRODUCT_COLUMNS], delimiter });
  expect(await readBack(`\n\r\n${text}`, 1_000_000)).toEqual([product()]);
});

test("any text is read from a CSV of another program, in chunks of any size", async () => {
  const rows = fc.uniqueArray(
    fc
      .tuple(fc.uuid(), awkward, awkward, fc.option(awkward))
      .map(([product_id, title, brand, color]) => product({ product_id, sku: product_id, title, brand, color })),
    { selector: (row) => row.product_id, minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.integer({ min: 1, max: 300 }),
      fc.constantFrom("\n", "\r\n"),
      async (written, size, end) => {
        const text = stringify(written, {
          header: true,
          columns: [...PRODUCT_COLUMNS],
          record_delimiter: end,
          quoted_match: /[\r\n]/,
          cast: { string: (value) => (value === "" ? { value, quoted_empty: true } : value) },
        });
        const read = await readBack(text, size);
        expect(read).toEqual(written.toSorted((one, other) => (one.sku < other.sku ? -1 : 1)));
      },
    ),
    { numRuns: 40 },
  );
});

test("a header without rows is a source of no rows", async () => {
  const result = await loadCsv(await testStore(), `${HEADER}\n`);
  expect(result).toEqual({ added: 0, alreadyPresent: 0, removed: 0, unknownCurrencies: [] });
});

test("numbers keep their digits, and columns may have any order", async () => {
  const columns = [...PRODUCT_COLUMNS].reverse();
  const fields = { ...product(), mrp: "19.90", selling_price: "9007199254740993", discount_pct: "1e1" };
  const store = await testStore();
  await loadCsv(store, stringify([fields], { header: true, columns }));
  const body = JSON.stringify(product())
    .replace(":20,", ":19.90,")
    .replace(":15,", ":9007199254740993,")
    .replace(":25,", ":1e1,");
  expect(await walk(store)).toEqual([body]);
});

test("an empty field is null if its column is nullable, otherwise an empty text; a quoted one is an empty text", async () => {
  const columns = PRODUCT_COLUMNS.filter((name) => name !== "color");
  const plain = stringify([product({ brand: "" })], { columns: [...columns] }).trimEnd();
  const [row, quoted] = await readBack(
    `color,${columns.join(",")}\n,${plain}\n"",${plain.replace("acme/", "b/")}\n`,
    4096,
  );
  expect({ row, quoted }).toEqual({
    row: product({ brand: "", color: null }),
    quoted: product({ brand: "", color: "", product_id: product().product_id.replace("acme/", "b/") }),
  });
});

const COLUMNS = "the 17 columns that `catalog service load --help` lists";
const OPEN = RECORD.replace("Title of sku-1", '"two\nlines"');

test.each([
  [
    "a price that is no number, by the line where its record starts",
    `${HEADER}\r\n${OPEN}\r\n\r\n${RECORD.replace(",20,", ',"12,00",')}`,
    { line: 5, field: "mrp", found: '"12,00"', expected: "a number" },
  ],
  [
    "a price with a leading zero",
    `${HEADER}\n${RECORD.replace(",20,", ",020,")}`,
    { line: 2, field: "mrp", found: '"020"', expected: "a number" },
  ],
  ["a field too many", `${HEADER}\n${RECORD},x`, { line: 2, found: "18", expected: "17 fields" }],
  [
    "a field too few",
    `${HEADER}\n${OPEN}\n${RECORD.slice(0, RECORD.lastIndexOf(","))}`,
    { line: 4, found: "16", expected: "17 fields" },
  ],
  [
    "an unknown column with an invisible character",
    `${HEADER},pr\u200bice\n${RECORD},1`,
    { line: 1, found: 'unknown "pr\\u200bice"', expected: COLUMNS },
  ],
  [
    "a header with several flaws, before a syntax error on the next line",
    `${HEADER.replace("domain,", "").replace("selling_price", "sellingprice")},mrp\n1"`,
    {
      line: 1,
      found: 'no domain, selling_price; unknown "sellingprice" (did you mean selling_price?); mrp twice',
      expected: COLUMNS,
    },
  ],
  ["no header", "", { line: 1, found: "nothing", expected: "a header line" }],
  [
    "a quote that never ends",
    `${HEADER}\n${RECORD}\n${RECORD.replace("Title", '"Title')}\n${RECORD}\n`,
    {
      line: 3,
      found: "the end of the file",
      expected: `a closing quote for ${JSON.stringify('"Title of sku-1,20,1')}`,
    },
  ],
  [
    "a quote that never ends, by the line where it begins, not after 4 MiB",
    `${HEADER}\n${OPEN}\n${OPEN.replace("EUR,,", 'EUR,"red,')}\n${`${RECORD}\n`.repeat(25_000)}`,
    {
      line: 5,
      found: "none in the next 4194304 characters",
      expected: `a closing quote for ${JSON.stringify('"red,https://shop.ex')}`,
    },
  ],
  [
    "a wrong value before a syntax error on a later line",
    `${HEADER}\n${RECORD.replace(",20,", ",x,")}\n${RECORD.replace("Title", 'Ti"tle')}`,
    { line: 2, field: "mrp", found: '"x"', expected: "a number" },
  ],
  [
    "a quote inside a plain field",
    `${HEADER}\n${RECORD.replace("Title", 'Ti"tle')}`,
    { line: 2, found: '"\\""', expected: "a separator or the end of the line after a field" },
  ],
  [
    "text after a closing quote",
    `${HEADER}\n${RECORD.replace("Title of sku-1", '"a"b')}`,
    { line: 2, found: '"b"', expected: "a separator or the end of the line after a field" },
  ],
  [
    "a carriage return outside quotes",
    `${HEADER}\n${RECORD.replace("Title", "Ti\rtle")}`,
    { line: 2, found: "a carriage return alone", expected: "a separator or the end of the line after a field" },
  ],
])("%s is refused", async (_name, text, facts) => {
  const error = await loadCsv(await testStore(), text, 2 ** 18).catch((reason: unknown) => reason);
  expect((error as RowError).facts).toEqual(facts);
});

const onEnd = afterAllTests();
/** The store of `readBack`, emptied before each use. */
let readStore: Promise<Store> | undefined;

async function readBack(text: string, size: number): Promise<Product[]> {
  readStore ??= openStore(":memory:").then((store) => {
    onEnd(() => store.close());
    return store;
  });
  const store = await readStore;
  await store.write((session) => session.script(REMOVE_ALL));
  await loadCsv(store, text, size);
  return (await walk(store)).map((body) => JSON.parse(body));
}

function loadCsv(store: Store, text: string, size?: number) {
  return loadContent(store, text, { name: "rows.csv", ...(size !== undefined && { size }) });
}
