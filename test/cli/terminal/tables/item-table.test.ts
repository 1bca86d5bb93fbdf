import { expect, test } from "vitest";
import {
  itemTable,
  numberColumn,
  textColumn,
  titleColumn,
  WHOLE_SKU,
} from "../../../../src/cli/terminal/tables/item-table.ts";
import { renderTable } from "../../../../src/cli/terminal/tables/table.ts";

interface Item {
  sku: string;
  title: string;
  rows: number | null;
}

const ITEMS: readonly Item[] = [
  { sku: "S-1", title: "A lamp with a long title", rows: 1234 },
  { sku: "S-2", title: "Two\nlines", rows: null },
];

const title = titleColumn<Item>(
  (item) => item.title,
  ({ sku }) => (sku === "S-1" ? "https://shop.example/1" : undefined),
);

test("a table has a row for each item, and totals below a rule if any column has one", () => {
  const columns = [
    textColumn<Item>("sku", ({ sku }) => sku, { total: "all\n2" }),
    numberColumn<Item>("rows", ({ rows }) => rows, 1234),
    numberColumn<Item>("days", () => undefined, null),
  ];
  expect(renderTable(itemTable(ITEMS, columns)).text).toBe(
    [
      "sku      rows  days",
      "──────  ─────  ────",
      "S-1     1,234",
      "S-2",
      "──────  ─────  ────",
      "all\\n2  1,234",
      "",
    ].join("\n"),
  );
});

test("a table without totals has no footer", () => {
  const columns = [textColumn<Item>("sku", ({ sku }) => sku), numberColumn<Item>("rows", ({ rows }) => rows), title];
  expect(itemTable(ITEMS, columns).footer).toBeUndefined();
});

test("a title links to its product, and is cut to 20 cells but not below", () => {
  const table = itemTable(ITEMS, [title, numberColumn<Item>("rows", ({ rows }) => rows)]);
  expect(renderTable(table, { width: 27, links: true }).text.split("\n").slice(0, 4)).toEqual([
    "title                  rows",
    "────────────────────  ─────",
    "\x1b]8;;https://shop.example/1\x1b\\A lamp with a long …\x1b]8;;\x1b\\  1,234",
    "Two\\nlines",
  ]);
  expect(renderTable(table, { width: 26 }).hidden).toEqual(["rows"]);
});

test("columns of texts and numbers have the widths that they were given", () => {
  const long = "S-1".repeat(20);
  const columns = (widths: { rigid?: boolean; minimum?: number }) => [
    textColumn<Item>("sku", () => long, widths),
    textColumn<Item>("kind", () => "usual"),
  ];
  const hiddenOf = (widths: { rigid?: boolean; minimum?: number }, width: number) =>
    renderTable(itemTable(ITEMS, columns(widths)), { width }).hidden;
  expect([hiddenOf({ rigid: true }, 66), hiddenOf({ rigid: true }, 67)]).toEqual([["kind"], []]);
  expect([hiddenOf({ minimum: WHOLE_SKU }, 32), hiddenOf({ minimum: WHOLE_SKU }, 33)]).toEqual([["kind"], []]);
  const narrow = itemTable(ITEMS, [numberColumn<Item>("a heading", () => 1), textColumn<Item>("kind", () => "usual")]);
  expect([15, 16].map((width) => renderTable(narrow, { width }).hidden)).toEqual([["kind"], []]);
});
