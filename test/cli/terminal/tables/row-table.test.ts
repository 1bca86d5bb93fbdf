import { expect, test } from "vitest";
import { recordTable, rowCell, rowTable } from "../../../../src/cli/terminal/tables/row-table.ts";
import { renderTable } from "../../../../src/cli/terminal/tables/table.ts";
import { batchOf } from "../../../../src/rows/scan.ts";

const COLUMNS = ["sku", "title", "url", "image_url", "mrp"];
const rows = batchOf(
  [
    '{"sku":"1","title":"Lamp","url":"https://shop.example/1","image_url":"","mrp":1999.90}',
    '{"sku":"2","title":null,"mrp":null}',
  ],
  COLUMNS,
);

test("a row has the values of its columns, and a member that it lacks is a null", () => {
  expect(renderTable(rowTable(rows, COLUMNS)).text).toBe(
    [
      "sku  title  url                     image_url       mrp",
      "───  ─────  ──────────────────────  ─────────  ────────",
      "1    Lamp   https://shop.example/1             1,999.90",
      "2    –      –                       –                 –",
      "",
    ].join("\n"),
  );
});

test("a title links to the product, an address to itself, and other texts to nothing", () => {
  const links = [0, 1].map((row) => COLUMNS.map((column) => rowCell(rows, row, column).link));
  expect(links).toEqual([
    [undefined, "https://shop.example/1", "https://shop.example/1", "", undefined],
    [undefined, undefined, undefined, undefined, undefined],
  ]);
});

test("records are shown as rows", () => {
  const records = [{ sku: "1", mrp: 5, other: 1 }];
  expect(renderTable(recordTable(records, ["sku", "mrp"], ["mrp", "sku"])).text).toBe(
    " mrp  sku\n────  ───\n5.00  1\n",
  );
});

test("titles and skus are cut less than other texts, and what is useless when cut is not cut", () => {
  const { columns } = recordTable(
    [],
    [],
    [
      ...["sku", "title", "brand"],
      ...["mrp", "discount_pct", "percent", "kind", "change", "currency", "date", "crawl_date", "first_seen"],
      ...["selling_price", "old_selling_price", "update", "kinds", "old_kind", "price"],
    ],
  );
  expect(columns.filter(({ minimum }) => minimum !== undefined)).toEqual([
    { heading: "sku", rigid: false, minimum: 26 },
    { heading: "title", rigid: false, minimum: 17 },
  ]);
  expect(columns.filter(({ rigid }) => rigid).map(({ heading }) => heading)).toEqual([
    ...["mrp", "discount_pct", "percent", "kind", "change", "currency", "date", "crawl_date", "first_seen"],
    ...["selling_price", "old_selling_price"],
  ]);
});
