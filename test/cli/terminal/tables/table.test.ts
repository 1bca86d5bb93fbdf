import { expect, test } from "vitest";
import { numberCell, textCell } from "../../../../src/cli/terminal/tables/cell.ts";
import {
  captioned,
  fullWidthOf,
  renderCaptioned,
  renderTable,
  type Table,
  withoutConstants,
} from "../../../../src/cli/terminal/tables/table.ts";
import { widthOf } from "../../../../src/cli/terminal/width.ts";

const table: Table = {
  columns: [{ heading: "retailer" }, { heading: "title" }, { heading: "rows" }],
  rows: [
    [textCell("shop"), textCell("A dice set of seven"), numberCell(1234567)],
    [textCell("寿司屋"), textCell("Two\nlines \x1b[31m"), numberCell(5)],
  ],
};

test("a table has a heading, a rule, text on the left and numbers on the right", () => {
  expect(renderTable(table)).toEqual({
    text: [
      "retailer  title                     rows",
      "────────  ───────────────────  ─────────",
      "shop      A dice set of seven  1,234,567",
      "寿司屋    Two\\nlines \\x1b[31m          5",
      "",
    ].join("\n"),
    hidden: [],
  });
});

test("a long table has each row once, in order, below one heading", () => {
  const rows = Array.from({ length: 1_201 }, (_, index) => [textCell(`row ${index}`), numberCell(index)]);
  const { text } = renderTable({ columns: [{ heading: "name" }, { heading: "number" }], rows });
  const lines = rows.map((_, index) => {
    const name = `row ${index}`;
    return `${name.padEnd(8)}  ${index.toLocaleString("en").padStart(6)}`;
  });
  expect(text.split("\n")).toEqual(["name      number", "────────  ──────", ...lines, ""]);
});

test("text is cut to fit the terminal, the widest column first, and numbers never", () => {
  expect(renderTable(table, { width: 32 })).toEqual({
    text: [
      "retailer  title             rows",
      "────────  ───────────  ─────────",
      "shop      A dice set…  1,234,567",
      "寿司屋    Two\\nlines…          5",
      "",
    ].join("\n"),
    hidden: [],
  });
});

test("columns that do not fit are left out from the right and named, because a number is never cut", () => {
  expect(renderTable(table, { width: 28 })).toEqual({
    text: [
      "retailer  title",
      "────────  ──────────────────",
      "shop      A dice set of sev…",
      "寿司屋    Two\\nlines \\x1b[3…",
      "",
    ].join("\n"),
    hidden: ["rows"],
  });
});

test("the first column is shown in any terminal, however narrow", () => {
  const numbers: Table = { columns: [{ heading: "n" }], rows: [[numberCell(1234567)]] };
  expect(renderTable(numbers, { width: 3 }).text).toBe("        n\n─────────\n1,234,567\n");
});

test("the wider of two text columns is cut first", () => {
  const texts: Table = {
    columns: [{ heading: "a" }, { heading: "b" }],
    rows: [[textCell("twelve cells"), textCell("twenty cells of text")]],
  };
  expect(renderTable(texts, { width: 26 }).text.split("\n")[2]).toBe("twelve cells  twenty cell…");
});

test("a rigid column is not cut", () => {
  const bars: Table = {
    columns: [{ heading: "days", rigid: true }, { heading: "title" }],
    rows: [[textCell("████████████"), textCell("A dice set of seven")]],
  };
  expect(renderTable(bars, { width: 24 }).text).toBe(
    ["days          title", "────────────  ──────────", "████████████  A dice se…", ""].join("\n"),
  );
});

test("no line is wider than the terminal", () => {
  const widths = [25, 32, 33, 40, 41].map((width) => {
    const lines = renderTable(table, { width }).text.split("\n");
    return Math.max(...lines.map(widthOf)) <= width;
  });
  expect(widths).toEqual([true, true, true, true, true]);
});

test.each(["مَرْحَبًا", "नमस्ते", "🫠", "e\u0301te\u0301"])("the column after %j is aligned in every row", (text) => {
  const { text: lines } = renderTable({
    columns: [{ heading: "title" }, { heading: "sku" }],
    rows: [
      [textCell(text), textCell("A-1")],
      [textCell("a title"), textCell("A-2")],
    ],
  });
  const starts = lines
    .split("\n")
    .slice(2, 4)
    .map((line) => widthOf(line.slice(0, line.indexOf("A-"))));
  expect(starts).toEqual([9, 9]);
});

test("a footer is below a rule of its own", () => {
  const footer = [textCell("total"), textCell(""), numberCell(12345720)];
  expect(
    renderTable({ ...table, footer })
      .text.split("\n")
      .slice(-3),
  ).toEqual(["────────  ───────────────────  ──────────", "total                          12,345,720", ""]);
});

test("a table without rows is its heading", () => {
  expect(renderTable({ columns: [{ heading: "sku" }], rows: [] }).text).toBe("sku\n───\n");
});

test("colour is used if it is on", () => {
  expect(renderTable({ columns: [{ heading: "sku" }], rows: [[textCell("S")]] }, { colour: true }).text).toBe(
    "\x1b[1msku\x1b[22m\n\x1b[2m───\x1b[22m\nS\n",
  );
});

test("a heading across all columns is above the rows of its group, and is cut to the table", () => {
  const groups = new Map([
    [0, "shop"],
    [1, "a very long name"],
  ]);
  const skus: Table = {
    columns: [{ heading: "sku" }, { heading: "n" }],
    rows: [
      [textCell("S-1"), numberCell(1)],
      [textCell("S-2"), numberCell(2)],
    ],
    groups,
  };
  expect(renderTable(skus).text).toBe("sku  n\n───  ─\nshop\nS-1  1\na ver…\nS-2  2\n");
  expect(renderTable(skus, { colour: true }).text.split("\n")[2]).toBe("\x1b[1mshop\x1b[22m");
});

test("a cell has its style in colour and its link where links are shown, whether it is cut or not", () => {
  const cell = { text: "twelve cells", numeric: false, style: "red" as const, link: "https://shop.example/1" };
  const styled: Table = { columns: [{ heading: "t" }], rows: [[cell]] };
  const line = (screen: Parameters<typeof renderTable>[1]) => renderTable(styled, screen).text.split("\n")[2];
  expect(line({ colour: true })).toBe("\x1b[31mtwelve cells\x1b[39m");
  expect(line({ width: 8, colour: true })).toBe("\x1b[31mtwelve …\x1b[39m");
  expect(line({ links: true })).toBe("\x1b]8;;https://shop.example/1\x1b\\twelve cells\x1b]8;;\x1b\\");
  expect(line({})).toBe("twelve cells");
});

test("the totals and their rule are drawn in colour as the heading is", () => {
  const totals: Table = { columns: [{ heading: "n" }], rows: [[numberCell(1)]], footer: [numberCell(12)] };
  expect(renderTable(totals, { colour: true }).text).toBe(
    "\x1b[1m n\x1b[22m\n\x1b[2m──\x1b[22m\n 1\n\x1b[2m──\x1b[22m\n\x1b[1m12\x1b[22m\n",
  );
});

test("a column without any text is as wide as its heading, and one that need not be so wide is cut to its minimum", () => {
  const narrow: Table = {
    columns: [{ heading: "a", minimum: 3 }, { heading: "b" }],
    rows: [[textCell("abcdef"), textCell("123456789")]],
  };
  expect(renderTable(narrow, { width: 13 }).text).toBe("a    b\n───  ────────\nab…  1234567…\n");
  expect(renderTable(narrow, { width: 12 }).hidden).toEqual(["b"]);
  expect(renderTable({ columns: [{ heading: "empty" }], rows: [[]] }).text).toBe("empty\n─────\n\n");
});

test("the full width of a table is that of its lines", () => {
  expect([fullWidthOf(table), fullWidthOf({ columns: [{ heading: "sku" }], rows: [] })]).toEqual([40, 3]);
});

const shops: Table = {
  columns: [{ heading: "retailer" }, { heading: "currency" }, { heading: "note" }, { heading: "n" }],
  rows: [
    [textCell("acme"), textCell("EUR"), textCell(""), numberCell(1)],
    [textCell("acme"), textCell("EUR"), textCell(""), numberCell(2)],
  ],
  footer: [textCell("total"), textCell(""), textCell(""), numberCell(3)],
};

test("what all rows share is a line above the table", () => {
  const candidates = ["retailer", "note", "n"];
  expect(renderCaptioned(shops, candidates, { width: 18 })).toEqual({
    text: 'retailer: acme ·\nnote: ""\n\ncurrency  n\n────────  ─\nEUR       1\nEUR       2\n────────  ─\n          3\n',
    hidden: [],
  });
  expect(renderCaptioned(shops, candidates, { width: 4 }).hidden).toEqual(["n"]);
});

test("a table of one row, or of rows that differ, stays whole", () => {
  const [row = []] = shops.rows;
  const one: Table = { columns: shops.columns, rows: [row] };
  expect(withoutConstants(one, ["retailer"])).toEqual({ table: one, caption: "" });
  const three = { ...shops, rows: [...shops.rows, [textCell("bolt"), textCell("EUR"), textCell(""), numberCell(3)]] };
  expect(withoutConstants(three, ["retailer", "n"])).toEqual({ table: three, caption: "" });
  expect(withoutConstants({ columns: shops.columns, rows: [] }, ["retailer"]).caption).toBe("");
  expect("footer" in withoutConstants(one, ["retailer"]).table).toBe(false);
});

test("a caption is dim in colour, and none leaves the table as it is", () => {
  expect(captioned("a b", "t\n", { width: 2, colour: true })).toBe("\x1b[2ma\nb\x1b[22m\n\nt\n");
  expect([captioned("a b", "t\n", {}), captioned("", "t\n", { colour: true })]).toEqual(["a b\n\nt\n", "t\n"]);
});
