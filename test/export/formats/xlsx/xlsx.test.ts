import fc from "fast-check";
import { readXlsx } from "hucre/xlsx";
import { describe, expect, test } from "vitest";
import { fromBufferPromise } from "yauzl";
import { ContractError } from "../../../../src/contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../../../src/contract/product.ts";
import type { EncoderOptions } from "../../../../src/export/formats/encoder.ts";
import { SHEET_PART, SHEET_RELATIONS_PART } from "../../../../src/export/formats/xlsx/workbook-parts.ts";
import { createXlsxEncoder } from "../../../../src/export/formats/xlsx/xlsx.ts";
import { productRow } from "../../../helpers/products.ts";
import { anyText } from "../../../helpers/texts.ts";
import { partsOf, workbookOf } from "./workbook-of.ts";

describe("a sheet", () => {
  test("holds the values of the contract with their types", async () => {
    const row = productRow({ sku: '"00123"', brand: '"1E5"', title: '"caf\\u00e9 \\"x\\" 😀"', discount_pct: "-0.5" });
    const { rows } = await sheetOf([[row, productRow({ color: '"red"', model_number: '"2026-03-01"' })]]);
    expect(rows).toEqual([
      PRODUCT_COLUMNS,
      valuesOf({ ...JSON.parse(row), crawl_date: new Date("2026-03-01") }),
      valuesOf({
        ...JSON.parse(productRow()),
        color: "red",
        model_number: "2026-03-01",
        crawl_date: new Date("2026-03-01"),
      }),
    ]);
  });

  test("without rows has only its header", async () => {
    expect((await sheetOf([])).rows).toEqual([PRODUCT_COLUMNS]);
  });

  test("has the chosen columns in the chosen order", async () => {
    const { rows } = await sheetOf([[productRow()]], { chosen: ["crawl_date", "sku"] });
    expect(rows).toEqual([
      ["crawl_date", "sku"],
      [new Date("2026-03-01"), "S-1"],
    ]);
  });

  test("keeps its header in view, and marks days as dates and texts as texts", async () => {
    const { freezePane, cells } = await sheetOf([[productRow()]], { chosen: ["sku", "crawl_date"] });
    const formats = ["0,0", "1,0", "1,1"].map((cell) => cells?.get(cell)?.style);
    expect([freezePane, formats]).toEqual([
      { rows: 1 },
      [
        expect.objectContaining({ numFmt: "@", font: expect.objectContaining({ bold: true }) }),
        expect.objectContaining({ numFmt: "@" }),
        expect.objectContaining({ numFmt: "yyyy\\-mm\\-dd" }),
      ],
    ]);
  });

  test("has filter buttons over all rows, and shows percentages as such without changing them", async () => {
    const rows = [productRow({ discount_pct: "12.5" }), productRow({ discount_pct: "40" })];
    const { autoFilter, cells } = await sheetOf([rows], { chosen: ["sku", "discount_pct"] });
    const shown = ["1,1", "2,1"].map((cell) => [cells?.get(cell)?.value, cells?.get(cell)?.style?.numFmt]);
    expect([autoFilter?.range, shown]).toEqual([
      "A1:B3",
      [
        [12.5, 'General"%"'],
        [40, 'General"%"'],
      ],
    ]);
  });

  test.each([
    ["=1+1", "a formula"],
    [" both sides ", "white space"],
    ["a\r\nb\tc\n", "line ends and a tab"],
    ["\u0000\u0001\u001f\u007f\ufffe\uffff", "control characters and what XML lacks"],
    ["_x0041_ _x0041 x_x00e9__", "what looks like an escape"],
    ["<a href=\"x\">&amp;</a> ]]> 'q'", "markup"],
    ["\u200b\ufeffä\u0301日本語 \u{1F600} ＝", "characters of several bytes"],
    ["", "nothing"],
  ])("keeps the text %j: %s", async (text) => {
    const { rows } = await sheetOf([[productRow({ title: JSON.stringify(text) })]], { chosen: ["title"] });
    expect(rows).toEqual([["title"], [text]]);
  });

  test("keeps any text", async () => {
    const texts = fc.array(anyText(40), { minLength: 100, maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(texts, async (all) => {
        const rows = all.map((text) => productRow({ title: JSON.stringify(text) }));
        expect((await sheetOf([rows], { chosen: ["title"] })).rows.slice(1)).toEqual(all.map((text) => [text]));
      }),
      { numRuns: 5 },
    );
  });

  test.each([
    ["19.90", 19.9],
    ["-7", -7],
    ["1e5", 100_000],
    ["0.30000000000000004", 0.30000000000000004],
    ["123456789012345", 123_456_789_012_345],
    ["1234567890123456", "1234567890123456"],
    ["12345678901234567.89", "12345678901234567.89"],
    ["0.1000000000000000000001", "0.1000000000000000000001"],
    ["1e308", "1e308"],
    ["1e-310", "1e-310"],
  ])("has the number %s as %j", async (raw, expected) => {
    const { rows } = await sheetOf([[productRow({ mrp: raw })]], { chosen: ["mrp"] });
    expect(rows).toEqual([["mrp"], [expected]]);
  });

  test("holds booleans as booleans, and objects and arrays as their JSON text", async () => {
    const row = '{"a":true,"b":false,"c":[1,"x<y"],"d":{"e":null},"f":null,"g":1}';
    const known = ["a", "b", "c", "d", "f", "g"];
    expect((await sheetOf([[row]], { known })).rows).toEqual([
      known,
      [true, false, '[1,"x<y"]', '{"e":null}', null, 1],
    ]);
  });

  test.each([
    ["date", "1900-03-01", new Date("1900-03-01")],
    ["date", "9999-12-31", new Date("9999-12-31")],
    ["date", "1900-02-28", "1900-02-28"],
    ["date", "2026-02-30", "2026-02-30"],
    ["date", "infinity", "infinity"],
    ["timestamp", "2026-01-05 12:34:56", new Date("2026-01-05T12:34:56Z")],
    ["timestamp", "2026-01-05 12:34:56.120000", new Date("2026-01-05T12:34:56.120Z")],
    ["timestamp", "2026-01-05 12:34:56.123456", "2026-01-05 12:34:56.123456"],
    ["timestamp", "2026-01-05 12:34:56+00", "2026-01-05 12:34:56+00"],
    ["timestamp", "2026-01-05 12:34:560", "2026-01-05 12:34:560"],
  ] as const)("has the %s %s as %j", async (kind, text, expected) => {
    const { rows } = await sheetOf([[JSON.stringify({ at: text })]], { known: ["at"], kinds: { at: kind } });
    expect(rows).toEqual([["at"], [expected]]);
  });

  test("cuts a text that is too long for a cell between two characters, and reports it", async () => {
    const cut = new Set<string>();
    const long = productRow({ title: JSON.stringify(`${"x".repeat(32_766)}😀`), brand: `"${"é".repeat(32_767)}"` });
    const { rows } = await sheetOf([[long, long]], {
      chosen: ["title", "brand"],
      onLoss: (...loss) => cut.add(loss.join(" ")),
    });
    expect([rows[1], [...cut]]).toEqual([["x".repeat(32_766), "é".repeat(32_767)], ["truncated title"]]);
  });

  test("reports which members it leaves out and which texts hold half a surrogate pair", async () => {
    const told = new Set<string>();
    const row = productRow({ extra: "1", title: '"\\ud800"' });
    await sheetOf([[row, row]], { onLoss: (...loss) => told.add(loss.join(" ")) });
    expect([...told]).toEqual(["member extra", "surrogate title"]);
  });

  test("rejects a row without a column", async () => {
    await expect(sheetOf([[productRow({ mrp: undefined })]])).rejects.toStrictEqual(
      new ContractError('the service sent a row without "mrp" (product_id "p1")'),
    );
  });
});

describe("an address", () => {
  test.each([
    ["an address", "https://shop.example/?a=1&b=2", "https://shop.example/?a=1&b=2"],
    [
      "one with characters that no address may have",
      "http://shop.example/a b/ü?q={x}|y#[z]^",
      "http://shop.example/a%20b/%C3%BC?q=%7Bx%7D%7Cy#%5Bz%5D%5E",
    ],
    ["one with a lonely percent sign", "https://shop.example/100%/%20", "https://shop.example/100%25/%20"],
    ["one without a scheme", "//cdn.example/i.jpg", undefined],
    ["a script", "javascript:alert(1)", undefined],
    ["one without a host", "https://", undefined],
    ["one that is too long for Excel", `https://shop.example/${"x".repeat(2_100)}`, undefined],
  ])("is a link where Excel can open it: %s", async (_, url, target) => {
    const options = { chosen: ["url"], links: true };
    const { rows, cells } = await sheetOf([[productRow({ url: JSON.stringify(url) })]], options);
    expect([rows[1], cells?.get("1,0")?.hyperlink?.target]).toEqual([[url], target]);
  });

  test("is text unless links are asked for", async () => {
    const workbook = await workbookOf([[productRow({ url: '"https://shop.example/"' })]]);
    const parts = await partsOf(workbook);
    expect([...parts.keys()]).not.toContain(SHEET_RELATIONS_PART);
    expect(parts.get(SHEET_PART)).not.toContain("<hyperlink");
  });
});

describe("the bytes", () => {
  test("do not depend on the division into batches", async () => {
    const rows = numbered(500);
    const whole = await workbookOf([rows]);
    const parts = await workbookOf(Array.from({ length: 50 }, (_, index) => rows.slice(index * 10, index * 10 + 10)));
    expect(parts.equals(whole)).toBe(true);
  });

  test("do not tell when they were written", async () => {
    const archive = await fromBufferPromise(await workbookOf([numbered(1)]));
    for await (const { lastModFileDate, lastModFileTime, extraFields } of archive.eachEntry()) {
      expect([lastModFileDate, lastModFileTime, extraFields]).toEqual([0x21, 0, []]);
    }
  });
});

test("more columns than a sheet can hold are refused", () => {
  const known = Array.from({ length: 16_385 }, (_, index) => `c${index}`);
  expect(() => createXlsxEncoder({ known })).toThrow("a sheet of xlsx holds at most 16,384 columns");
});

/** The sheet as the reader of another package sees it. */
async function sheetOf(pages: readonly (readonly string[])[], options: Partial<EncoderOptions> = {}) {
  const { sheets } = await readXlsx(await workbookOf(pages, options), { readStyles: true });
  expect(sheets).toHaveLength(1);
  return sheets[0] as (typeof sheets)[number];
}

function valuesOf(row: Record<string, unknown>): unknown[] {
  return PRODUCT_COLUMNS.map((name) => row[name]);
}

/** Different rows. 400 of them are more than a block of the sheet, which is 1 MiB. */
function numbered(count: number): string[] {
  const title = `"${"x".repeat(2_000)}"`;
  return Array.from({ length: count }, (_, index) => productRow({ sku: `"S-${index}"`, mrp: `${index}.5`, title }));
}
