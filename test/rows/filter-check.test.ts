import { expect, test } from "vitest";
import { createFilterCheck } from "../../src/rows/filter-check.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { product } from "../helpers/products.ts";

const rowsOf = (...rows: Parameters<typeof product>[0][]) => batchOf(rows.map((row) => JSON.stringify(product(row))));

const LAMPS = { retailer: "acme", category: "lamps", department: "home" };
const TOYS = { retailer: "acme", category: "toys", department: "kids" };

test.each([
  ["a retailer", { retailer: "acme" }, { retailer: "other" }],
  ["a category", { category: "lamps" }, { category: "toys" }],
  ["a department", { department: "home" }, { department: "kids" }],
  ["a combination", { rcd: "acme:lamps:home" }, { retailer: "acme", category: "lamps", department: "kids" }],
  ["a first day", { start_date: "2026-01-15" }, { crawl_date: "2026-01-14" }],
  ["a last day", { end_date: "2026-01-15" }, { crawl_date: "2026-01-16" }],
])("the first row outside %s is found, whatever came before it", (_, filters, other) => {
  const check = createFilterCheck(filters);
  expect(check(rowsOf({}, {}, other, other))).toBe(2);
  expect(check(rowsOf(other, {}))).toBe(0);
  expect(check(rowsOf({}, {}))).toBe(-1);
  expect(check(rowsOf())).toBe(-1);
  expect(check(rowsOf({}, other))).toBe(1);
});

test("rows of several combinations and days are accepted in any order, and others are not", () => {
  const check = createFilterCheck({ rcd: "acme:lamps:home,acme:toys:kids", start_date: "2026-01-14" });
  const accepted = rowsOf(LAMPS, TOYS, LAMPS, { ...TOYS, crawl_date: "2026-01-14" });
  expect([check(accepted), check(accepted)]).toEqual([-1, -1]);
  expect(check(rowsOf(TOYS, { ...LAMPS, department: "kids" }))).toBe(1);
  expect(check(rowsOf(TOYS, { ...TOYS, crawl_date: "2026-01-13" }))).toBe(1);
});

test("values that a sum of their characters would confuse are told apart", () => {
  const check = createFilterCheck({ retailer: "Aa" });
  expect(check(rowsOf({ retailer: "Aa" }, { retailer: "BB" }))).toBe(1);
  const both = createFilterCheck({ rcd: "Aa:lamps:home,BB:lamps:home" });
  const rows = rowsOf({ retailer: "Aa" }, { retailer: "BB" }, { retailer: "Aa" }, { retailer: "BB" });
  expect([both(rows), both(rows)]).toEqual([-1, -1]);
});

test("a value is not taken for another one that begins with it", () => {
  const check = createFilterCheck({ category: "lamps" });
  expect(check(rowsOf({}, { category: "lampshades" }, { category: "lamp" }))).toBe(1);
  expect(check(rowsOf({ category: "lamp" }))).toBe(0);
});

test("a row that lacks what is filtered is outside, and one that lacks anything else is not", () => {
  const rows = batchOf(['{"retailer":"acme","crawl_date":"2026-01-15"}', '{"crawl_date":"2026-01-15"}']);
  expect(createFilterCheck({ retailer: "acme" })(rows)).toBe(1);
  expect(createFilterCheck({ start_date: "2026-01-15" })(rows)).toBe(-1);
  expect(createFilterCheck({ end_date: "2026-01-15" })(batchOf(['{"retailer":"acme"}']))).toBe(0);
});
