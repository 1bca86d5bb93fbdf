import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { COVERAGE_COLUMNS } from "../../../src/contract/coverage.ts";
import { ContractError } from "../../../src/contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../../src/contract/product.ts";
import { productRow } from "../../helpers/products.ts";
import { anyText } from "../../helpers/texts.ts";
import { encoded } from "./encoded.ts";

test("CSV has a header, CRLF line ends, digits as sent, null as an empty field and the empty string as quotes", async () => {
  expect(await encoded("csv", [[productRow()]])).toBe(
    `${PRODUCT_COLUMNS.join(",")}\r\n` +
      'p1,S-1,https://shop.example/p/1,shop.example,shop,toys,games,Acme,"",Dice,25.00,19.90,20.4,USD,,"",2026-03-01\r\n',
  );
});

test("TSV has tabs, LF line ends and the same rule for quotes", async () => {
  const row = productRow({ title: '"a\\tb"', brand: '"say \\"hi\\", now"', sku: '"x,y"' });
  expect(await encoded("tsv", [[row]], { chosen: ["sku", "brand", "title"] })).toBe(
    'sku\tbrand\ttitle\nx,y\t"say ""hi"", now"\t"a\tb"\n',
  );
});

test("CSV without rows is only the header", async () => {
  expect(await encoded("csv", [], { chosen: ["sku", "mrp"] })).toBe("sku,mrp\r\n");
});

test("a number keeps every digit in CSV", async () => {
  const row = productRow({ mrp: "12345678901234567890.10", selling_price: "1E+2", discount_pct: "-0.0" });
  expect(await encoded("csv", [[row]], { chosen: ["mrp", "selling_price", "discount_pct"] })).toBe(
    "mrp,selling_price,discount_pct\r\n12345678901234567890.10,1E+2,-0.0\r\n",
  );
});

test("a lone CR or LF in a value is quoted, because either ends a record for some readers", async () => {
  const row = productRow({ title: '"a\\rb"', brand: '"c\\nd"' });
  expect(await encoded("tsv", [[row]], { chosen: ["title", "brand"] })).toBe('title\tbrand\n"a\rb"\t"c\nd"\n');
});

test("a nested value is its JSON text on one line", async () => {
  const row = productRow({ color: '{"rgb":\n [1.0, 2]}' });
  expect(await encoded("csv", [[row]], { chosen: ["color"] })).toBe('color\r\n"{""rgb"":[1.0,2]}"\r\n');
});

test("a null in the only column does not leave a blank line, which a reader would skip", async () => {
  const rows = [productRow(), productRow({ color: '"red"' })];
  const text = await encoded("csv", [rows], { chosen: ["color"] });
  expect(parse(text, { columns: true, skip_empty_lines: true })).toEqual([{ color: "" }, { color: "red" }]);
});

test("columns have the requested order, whatever the order in the row", async () => {
  expect(await encoded("csv", [['{"b":"2","a":"1"}', '{ "a" : "3" , "b" : "4" }']], { chosen: ["a", "b"] })).toBe(
    "a,b\r\n1,2\r\n3,4\r\n",
  );
});

test("coverage rows are written by the same encoder", async () => {
  const row =
    '{"retailer":"shop","department":"toys","category":"games","rcd":"shop:games:toys","corpus_rows":12,' +
    '"matching_rows":7,"earliest_date":"2026-01-01","latest_date":"2026-02-01"}';
  expect(await encoded("csv", [[row]], { known: COVERAGE_COLUMNS })).toBe(
    `${COVERAGE_COLUMNS.join(",")}\r\nshop,toys,games,shop:games:toys,12,7,2026-01-01,2026-02-01\r\n`,
  );
});

test("a row without a requested column is an error that names the column and the row", async () => {
  await expect(encoded("csv", [['{"product_id":"p9","sku":"S"}']], { chosen: ["sku", "title"] })).rejects.toStrictEqual(
    new ContractError('the service sent a row without "title" (product_id "p9")'),
  );
});

test("a member that CSV leaves out is reported", async () => {
  const seen = new Set<string>();
  const row = productRow({ stock: "3", rating: "4.5" });
  await encoded("csv", [[productRow(), row], [row]], { onLoss: (...loss) => seen.add(loss.join(" ")) });
  expect([...seen]).toEqual(["member stock", "member rating"]);
});

test("what nobody wants to know is not reported", async () => {
  const row = productRow({ stock: "3", title: '"\\ud83d"' });
  expect(await encoded("csv", [[row]])).toContain(",\ufffd,");
});

test("a member left out by the chosen columns is not reported", async () => {
  const seen: string[] = [];
  await encoded("csv", [[productRow({ stock: "3" })]], { chosen: ["sku"], onLoss: (_, name) => seen.push(name) });
  expect(seen).toEqual([]);
});

test("half a surrogate pair, which UTF-8 cannot represent, is reported with its column", async () => {
  const seen = new Set<string>();
  const row = productRow({ title: '"\\ud83d"', brand: '"\\ud83d\\ude00"' });
  await encoded("csv", [[row, row]], { onLoss: (...loss) => seen.add(loss.join(" ")) });
  expect([...seen]).toEqual(["surrogate title"]);
});

test.each(["csv", "tsv"] as const)("any value is read back unchanged from %s", async (format) => {
  const text = fc.oneof(
    anyText(),
    fc.string({ unit: fc.constantFrom('"', ",", "\t", "\r", "\n", "\\", "=", " ", "é", "😀") }),
  );
  const value = fc.oneof(text, fc.constant(null));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ a: value, b: text, c: text }), { minLength: 1 }), async (rows) => {
      const written = await encoded(format, [rows.map((row) => JSON.stringify(row))], { chosen: ["a", "b", "c"] });
      const delimiter = format === "csv" ? "," : "\t";
      const recordDelimiter = format === "csv" ? "\r\n" : "\n";
      // A quoted empty field is the empty string, a bare one null.
      const cast = (field: string, { quoting }: { quoting: boolean }) => (field === "" && !quoting ? null : field);
      const read = parse(written, { columns: true, delimiter, record_delimiter: recordDelimiter, cast });
      expect(read).toEqual(rows);
    }),
  );
});

test.each([
  ["csv", ",", "\r\n"],
  ["tsv", "\t", "\n"],
] as const)(
  "%s has the bytes that csv-stringify writes for the same fields",
  async (format, delimiter, record_delimiter) => {
    const text = fc.string({ unit: fc.constantFrom("a", '"', ",", "\t", "\r", "\n", "\\", "/", "é", "😀", "\u0001") });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ a: text, b: text }), { minLength: 1 }),
        fc.boolean(),
        async (rows, escaped) => {
          const json = rows
            .map((row) => JSON.stringify(row))
            .map((row) => (escaped ? row.replaceAll("/", "\\/") : row));
          const records = [["a", "b"], ...rows.map(({ a, b }) => [a, b])];
          expect(await encoded(format, [json], { chosen: ["a", "b"] })).toBe(
            stringify(records, { delimiter, record_delimiter, quoted_match: /[\r\n]/, quoted_empty: true }),
          );
        },
      ),
    );
  },
);

test("a spreadsheet gets a byte order mark once, at the beginning", async () => {
  const options = { chosen: ["sku"], spreadsheet: "bom" } as const;
  expect(await encoded("csv", [[productRow({ sku: '"=1+1"' })]], options)).toBe("\uFEFFsku\r\n=1+1\r\n");
});

test("for Excel, a formula gets an apostrophe and an article number stays text", async () => {
  const row = productRow({ title: '"=1+1"', sku: '"0062355309"' });
  const text = await encoded("csv", [[row]], { chosen: ["sku", "title"], spreadsheet: "excel" });
  expect(text).toBe('\uFEFFsku,title\r\n"=""0062355309""",\'=1+1\r\n');
});

test("for Excel, numbers and harmless text stay as they are", async () => {
  const row = productRow({ title: '"a=b"', mrp: "-19.90", color: "null" });
  const options = { chosen: ["title", "mrp", "color", "model_number"], spreadsheet: "excel" } as const;
  expect(await encoded("csv", [[row]], options)).toBe('\uFEFFtitle,mrp,color,model_number\r\na=b,-19.90,,""\r\n');
});

test("what the folders name is no column, and is not reported as unknown", async () => {
  const told: string[] = [];
  const options = {
    known: ["a", "b", "c"],
    partitionedBy: ["b"],
    onLoss: (_: unknown, name: string) => told.push(name),
  };
  expect(await encoded("csv", [['{"a":"1","b":"2","c":"3"}']], options)).toBe("a,c\r\n1,3\r\n");
  expect(told).toEqual([]);
});

test("booleans are bare words, and a nested value in TSV is quoted if it needs to be", async () => {
  const row = '{"a":true,"b":[1,"x"],"c":[1],"d":{"e":"\\ud800"}}';
  const told: string[] = [];
  const options = { known: ["a", "b", "c", "d"], onLoss: (_: unknown, name: string) => told.push(name) };
  expect(await encoded("tsv", [[row]], options)).toBe('a\tb\tc\td\ntrue\t"[1,""x""]"\t[1]\t"{""e"":""\\ud800""}"\n');
  expect(told).toEqual([]);
});

test("for Excel, texts with and without escapes are protected alike", async () => {
  const rows = [
    { a: "=1+1", b: "1e5", c: "plain" },
    { a: '="x"', b: "é=1", c: "a,b" },
    { a: "a\n=1", b: "", c: "12:30, x" },
  ];
  const text = await encoded("csv", [rows.map((row) => JSON.stringify(row))], {
    chosen: ["a", "b", "c"],
    spreadsheet: "excel",
  });
  expect(text).toBe('\uFEFFa,b,c\r\n\'=1+1,"=""1e5""",plain\r\n"\'=""x""",é=1,"a,b"\r\n"a\n\'=1","","12:30, x"\r\n');
});
