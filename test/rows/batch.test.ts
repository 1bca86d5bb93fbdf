import { expect, test } from "vitest";
import { PRODUCT_COLUMNS } from "../../src/contract/product.ts";
import { batchOf, batchOfLines, scanArray } from "../../src/rows/scan.ts";

const ROWS = ['{"sku":"1","mrp":19.90}', '{ "sku": "2" }', '{"sku":"3","mrp":-0,"extra":[1, 2]}'];

test("rows keep all their bytes, each on one line", () => {
  expect(batchOf(ROWS).lines().toString()).toBe(ROWS.map((row) => `${row}\n`).join(""));
  const broken = '{\r\n "sku":\n"a \\n  b" , "mrp": 1.50 }';
  expect(batchOf([ROWS[1] ?? "", broken]).texts()).toEqual(['{ "sku": "2" }', '{"sku":"a \\n  b","mrp":1.50}']);
});

test.each([",", " ,", ", ", " , ", ",\n", "\r\n,"])("rows with %j between them are lines", (between) => {
  const { rows } = scanArray(Buffer.from(`[ {"sku":1}${between}{"sku":2} ]`), 0, ["sku"]).finish();
  expect(rows.lines().toString()).toBe('{"sku":1}\n{"sku":2}\n');
});

test.each(PRODUCT_COLUMNS)("a name that differs from %s in one character is another name", (name) => {
  for (let at = 0; at < name.length; at += 1) {
    const other = `${name.slice(0, at)}#${name.slice(at + 1)}`;
    const rows = batchOf([`{"${other}":1}`], [name]);
    expect({ raw: rows.raw(0, 0), others: [...rows.others] }).toEqual({ raw: undefined, others: [other] });
  }
});

test("values keep their text, and a missing member has none", () => {
  const rows = batchOf(ROWS);
  const [sku, mrp] = [rows.column("sku"), rows.column("mrp")];
  expect([0, 1, 2].map((row) => [rows.raw(row, sku), rows.raw(row, mrp)])).toEqual([
    ['"1"', "19.90"],
    ['"2"', undefined],
    ['"3"', "-0"],
  ]);
  expect({ column: rows.column("extra"), others: [...rows.others] }).toEqual({ column: -1, others: ["extra"] });
  expect({ raw: rows.raw(0, rows.column("extra")), valueEnd: rows.valueEnd(0, rows.column("extra")) }).toEqual({
    raw: undefined,
    valueEnd: 0,
  });
  expect(batchOf(ROWS, ["sku"]).raw(1, 0)).toBe('"2"');
});

test("a slice has its rows and its own lines", () => {
  const rows = batchOf(ROWS);
  expect(rows.slice(1).texts()).toEqual(ROWS.slice(1));
  expect(rows.slice(0, 2).lines().toString()).toBe(`${ROWS[0]}\n${ROWS[1]}\n`);
  expect(rows.slice(1, 2).slice(0, 9).raw(0, rows.column("sku"))).toBe('"2"');
  expect({
    atEnd: rows.slice(3).length,
    beyondEnd: rows.slice(5, 9).length,
    lines: rows.slice(3).lines().length,
  }).toEqual({ atEnd: 0, beyondEnd: 0, lines: 0 });
});

test("lines are handed on unread, and read for their rows", () => {
  const lines = Buffer.from("not read\n");
  expect(batchOfLines(lines).lines().toString()).toBe("not read\n");
  expect(batchOfLines(lines).slice(0).lines().toString()).toBe("not read\n");
  expect([...batchOfLines(Buffer.from('{"extra":1}\n')).others]).toEqual(["extra"]);
  expect(batchOfLines(Buffer.from("{}")).lines().length).toBe(0);
});

test("lines are read back as the same rows", () => {
  const rows = batchOfLines(Buffer.from(batchOf(ROWS).lines()));
  expect(rows.texts()).toEqual(ROWS);
  expect(rows.raw(2, rows.column("mrp"))).toBe("-0");
});

test.each([["{}"], ["{}\n{}"], ['["sku":1}\n'], ["{}{}\n"], ["[]\n"], ["{}\n\n"], ['{"a"}\n']])(
  "%j is refused, because it is not one object on each line",
  (text) => {
    expect(() => batchOfLines(Buffer.from(text)).text(0)).toThrow(SyntaxError);
  },
);

test("more rows than in one page are found", () => {
  const texts = Array.from({ length: 1100 }, (_, number) => `{"sku":"${number}"}`);
  expect(batchOf(texts, ["sku"]).texts()).toEqual(texts);
});

test("a text that is not an object is not a row", () => {
  expect(() => batchOf(["{}", "[1]"])).toThrow("[1] is not a JSON object");
});

test("a value equals the one before it only if all bytes are equal", () => {
  const values = ['"ab"', '"ab"', '"abc"', '"ab"', undefined, undefined, "null", '"ac"', '"ac"'];
  const rows = batchOf(
    values.map((value, row) => `{"other":${row}${value === undefined ? "" : `,"color":${value}`}}`),
    ["color"],
  );
  const same = values.slice(1).map((_, row) => rows.isAsBefore(row + 1, rows.column("color")));
  expect(same).toEqual([true, false, false, false, true, false, false, true]);
  expect(rows.isAsBefore(1, rows.column("other"))).toBe(true);
  expect(batchOf(['{"color":"a"}', '{"color":"a","other":1}'], ["color"]).isAsBefore(1, 0)).toBe(true);
});
