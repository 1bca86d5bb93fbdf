import { expect, test } from "vitest";
import { numberCell, textCell } from "../../../../src/output/terminal/tables/cell.ts";
import { renderTable, type Table } from "../../../../src/output/terminal/tables/table.ts";
import { widthOf } from "../../../../src/output/terminal/width.ts";

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
