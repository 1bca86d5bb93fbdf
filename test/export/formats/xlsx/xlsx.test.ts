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
    expect({ freezePane, formats }).toEqual({
      freezePane: { rows: 1 },
      formats: [
        expect.objectContaining({ numFmt: "@", font: expect.objectContaining({ bold: true }) }),
        expect.objectContaining({ numFmt: "@" }),
        expect.objectContaining({ numFmt: "yyyy\\-mm\\-dd" }),
      ],
    });
  });

  test("has filter buttons over all rows, and shows percentages as such without changing them", async () => {
    const rows = [productRow({ discount_pct: "12.5" }), productRow({ discount_pct: "40" })];
    const { autoFilter, cells } = await sheetOf([rows], { chosen: ["sku", "discount_pct"] });
    const shown = ["1,1", "2,1"].map((cell) => [cells?.get(cell)?.value, cells?.get(cell)?.style?.numFmt]);
    expect({ range: autoFilter?.range, shown }).toEqual({
      range: "A1:B3",
      shown: [
        [12.5, 'General"%"'],
        [40, 'General"%"'],
      ],
    });
  });

  test("keeps formulas, white space, control characters, escapes, markup and nothing as texts", async () => {
    const texts = [
      "=1+1",
      " both sides ",
      "a\r\nb\tc\n",
      "\u0000\u0001\u001f\u007f\ufffe\uffff",
      "_x0041_ _x0041 x_x00e9__ _xff_ _x00ff_",
      "<a href=\"x\">&amp;</a> ]]> 'q'",
      "\u200b\ufeffä\u0301日本語 \u{1F600} ＝",
      "",
    ];
    const rows = texts.map((title) => productRow({ title: JSON.stringify(title) }));
    expect((await sheetOf([rows], { chosen: ["title"] })).rows).toEqual([["title"], ...texts.map((text) => [text])]);
    // Excel knows escapes with capital digits only.
    const parts = await partsOf(await workbookOf([rows], { chosen: ["title"] }));
    expect(parts.get(SHEET_PART)).toContain(">_x0000__x0001__x001F_\u007f_xFFFE__xFFFF_<");
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

  test("has the numbers that it can keep as numbers, and the others as texts", async () => {
    const kept = [
      "19.90",
      "-7",
      "1e5",
      "0.30000000000000004",
      "-0.30000000000000004",
      "123456789012345",
      "999999999999999",
      "1234567890123450",
    ];
    const small = ["0.000000000000000000", "-0e0", "2.2250738585072014e-308", "9.99999999999999e307"];
    const texts = ["1234567890123456", "-1234567890123456", "12345678901234567.89", "0.1000000000000000000001"];
    const beyond = ["1e308", "-1e308", "1e-309", "1e-310"];
    const all = [...kept, ...small, ...texts, ...beyond];
    const { rows } = await sheetOf([all.map((mrp) => productRow({ mrp }))], { chosen: ["mrp"] });
    expect(rows.slice(1).flat()).toEqual([...[...kept, ...small].map(Number), ...texts, ...beyond]);
  });

  test("holds booleans as booleans, and objects and arrays as their JSON text", async () => {
    const row = '{"a":true,"b":false,"c":[1,"x<y"],"d":{"e":null},"f":null,"g":1}';
    const known = ["a", "b", "c", "d", "f", "g"];
    expect((await sheetOf([[row]], { known })).rows).toEqual([
      known,
      [true, false, '[1,"x<y"]', '{"e":null}', null, 1],
    ]);
  });

  test("has the days and times that it can keep as such, and the others as texts", async () => {
    const days = {
      "1900-03-01": new Date("1900-03-01"),
      "9999-12-31": new Date("9999-12-31"),
      "1900-02-28": undefined,
      "2026-02-30": undefined,
      "x2026-01-05": undefined,
      infinity: undefined,
    };
    const times = {
      "2026-01-05 00:00:00": new Date("2026-01-05T00:00:00Z"),
      "2026-01-05 12:34:56": new Date("2026-01-05T12:34:56Z"),
      "2026-01-05 18:00:00.000000": new Date("2026-01-05T18:00:00Z"),
      "2026-01-05 12:34:56.120000": new Date("2026-01-05T12:34:56.120Z"),
      "2026-01-05 12:34:56.123456": undefined,
      "2026-01-05 12:34:56+00": undefined,
      "2026-01-05 12:34:560": undefined,
      "2026-01-05 25:00:00": undefined,
      "2026-01-05": undefined,
      "x 2026-01-05 12:00:00": undefined,
      "2026-01-05 12:00:00 x": undefined,
      "1900-02-28 12:00:00": undefined,
    };
    for (const [kind, values] of Object.entries({ date: days, timestamp: times } as const)) {
      const rows = Object.keys(values).map((at) => JSON.stringify({ at }));
      const sheet = await sheetOf([rows], { known: ["at"], kinds: { at: kind as "date" | "timestamp" } });
      expect(sheet.rows.slice(1)).toEqual(Object.entries(values).map(([text, value]) => [value ?? text]));
    }
  });

  test("cuts a text that is too long for a cell between two characters, and reports it", async () => {
    const cut = new Set<string>();
    const long = productRow({ title: JSON.stringify(`${"x".repeat(32_766)}😀`), brand: `"${"é".repeat(32_767)}"` });
    const pairBefore = productRow({ title: JSON.stringify(`😀${"x".repeat(32_766)}`), brand: '""' });
    const { rows } = await sheetOf([[long, long, pairBefore]], {
      chosen: ["title", "brand"],
      onLoss: (...loss) => cut.add(loss.join(" ")),
    });
    expect({ rows1: rows[1], rows3: rows[3] }).toEqual({
      rows1: ["x".repeat(32_766), "é".repeat(32_767)],
      rows3: [`😀${"x".repeat(32_765)}`, ""],
    });
    expect([...cut]).toEqual(["truncated title"]);
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
  test("is a link where Excel can open it", async () => {
    const addresses = {
      "https://shop.example/?a=1&b=2": "https://shop.example/?a=1&b=2",
      "http://shop.example/a b/ü?q={x}|y#[z]^": "http://shop.example/a%20b/%C3%BC?q=%7Bx%7D%7Cy#%5Bz%5D%5E",
      "https://shop.example/100%/%20": "https://shop.example/100%25/%20",
      "//cdn.example/i.jpg": undefined,
      "javascript:alert(1)": undefined,
      "https://": undefined,
      [`https://shop.example/${"x".repeat(2_100)}`]: undefined,
    };
    const written = Object.keys(addresses).map((url) => productRow({ url: JSON.stringify(url) }));
    const { rows, cells } = await sheetOf([written], { chosen: ["url"], links: true });
    const links = rows.slice(1).map(([url], row) => [url, cells?.get(`${row + 1},0`)?.hyperlink?.target]);
    expect(links).toEqual(Object.entries(addresses));
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
      expect({ lastModFileDate, lastModFileTime, extraFields }).toEqual({
        lastModFileDate: 0x21,
        lastModFileTime: 0,
        extraFields: [],
      });
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
