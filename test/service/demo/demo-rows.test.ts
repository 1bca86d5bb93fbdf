import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { type Product, productSchema } from "../../../src/contract/product.ts";
import { rawMembers } from "../../../src/contract/values/raw-json.ts";
import { demoRows } from "../../../src/service/demo/demo-rows.ts";
import { readRow } from "../../../src/service/load/row.ts";

const texts = [...demoRows("2026-03-01")];
/** Each is checked against the contract. */
const rows = texts.map((text, line) => readRow({ line, text }, new Map()).product);

test("the rows conform to the contract and cover the 90 days before the given day", () => {
  const days = rows.map((row) => row.crawl_date).sort();
  expect({ rowCount: rows.length, first: days[0], last: days.at(-1) }).toEqual({
    rowCount: 25_311,
    first: "2025-12-01",
    last: "2026-02-28",
  });
  expect(new Set(rows.map((row) => row.product_id)).size).toBe(25_311);
  expect(new Set(rows.map((row) => `${row.retailer}:${row.category}:${row.department}`)).size).toBe(47);
});

test("the same day gives the same rows", () => {
  expect([...demoRows("2026-03-01")].join("\n") === texts.join("\n")).toBe(true);
  expect(demoRows("2026-03-02").next().value).not.toBe(texts[0]);
});

test("each product_id is a hash of the other values", () => {
  const [text = ""] = texts;
  const [id = "", ...values] = productSchema.required.map((name) => rawMembers(text).get(name) ?? "");
  const hash = createHash("sha256").update(values.join("\u001f")).digest("hex").slice(0, 32);
  expect(JSON.parse(id)).toBe(hash);
});

test.each([
  ["a price with a trailing zero", () => texts.some((text) => /"mrp":\d+\.\d0,/.test(text))],
  ["a price that changed", () => new Set(rows.filter(sameProduct).map((row) => row.selling_price)).size > 1],
  [
    "one sku at two retailers",
    () => new Set(rows.filter((row) => row.sku === "100001").map((row) => row.retailer)).size > 1,
  ],
  [
    "a category at several retailers",
    () => new Set(rows.filter((row) => row.category === "lamps").map((row) => row.retailer)).size > 2,
  ],
  ["a row with and a row without a colour", () => new Set(rows.map((row) => row.color === null)).size === 2],
  ["a retailer whose crawls begin later", () => daysOf("kisumu-market")[0] === "2026-01-05"],
  ["a retailer whose crawls stopped", () => daysOf("ridge-and-river").at(-1) === "2026-02-04"],
  [
    "a category with a gap of more than two weeks",
    () => {
      const days = daysOf("bazaar-plus", "phone-cases");
      return days.includes("2025-12-30") && days.includes("2026-01-17") && !days.includes("2026-01-08");
    },
  ],
  ["prices in six currencies or more", () => new Set(rows.map((row) => row.currency)).size >= 6],
  ...(['"', ",", "\t", "\n", "\r\n", "\u001b", "\u200b", "\u202e", "🎧", "س"].map((part) => [
    `a title with ${JSON.stringify(part)}`,
    () => rows.some((row) => row.title.includes(part)),
  ]) as [string, () => boolean][]),
  ...(["=", "+", "-", "@", " "].map((start) => [
    `a title that starts with "${start}"`,
    () => rows.some((row) => row.title.startsWith(start)),
  ]) as [string, () => boolean][]),
])("there is %s", (_what, holds) => {
  expect(holds()).toBe(true);
});

function daysOf(retailer: string, category?: string): string[] {
  const own = rows.filter((row) => row.retailer === retailer && row.category === (category ?? row.category));
  return [...new Set(own.map((row) => row.crawl_date))].sort();
}

function sameProduct(row: Product): boolean {
  return row.retailer === rows[0]?.retailer && row.sku === rows[0]?.sku;
}
