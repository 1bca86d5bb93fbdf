import { expect, test } from "vitest";
import { findRowError } from "../../src/rows/row-error.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { productRow } from "../helpers/products.ts";

const long = "x".repeat(2000);
const otherDay = { crawl_date: '"2026-03-02"' };
const noDay = { crawl_date: '"2026-02-30"' };

test.each([
  ["rows of the same day and of others", [{}, {}, otherDay, {}, otherDay], undefined],
  ["a long text", [{ title: `"${long}"` }], undefined],
  ["a day that does not exist", [noDay], '`data[0].crawl_date` is not a date (product_id "p1")'],
  ["such a day after others", [{}, {}, noDay, {}], '`data[2].crawl_date` is not a date (product_id "p1")'],
  ["an id that is missing", [{}, { product_id: undefined }], "`data[1].product_id` is missing"],
  ["an id that is a number", [{ product_id: "7" }], "`data[0].product_id` is not a string"],
  ["a long list", [{ sku: `["${long}"]` }], '`data[0].sku` is not a string (product_id "p1")'],
  ["a long text as a price", [{ mrp: `"${long}"` }], '`data[0].mrp` is not a number (product_id "p1")'],
  [
    "a value in a row with a long id",
    [{ product_id: `"${long}"`, mrp: "null" }],
    `\`data[0].mrp\` is not a number (product_id "${long.slice(0, 79)})`,
  ],
])("%s", (_, rows, error) => {
  expect(findRowError(batchOf(rows.map(productRow)))).toBe(error);
});
