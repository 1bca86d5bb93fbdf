import { expect, test } from "vitest";
import type { Difference } from "../../../src/folder/diff/join.ts";
import { diffAsOf } from "../../../src/folder/prices/as-of.ts";
import { type PriceRow, priceDays } from "../../helpers/price-days.ts";

function row(day: string, sku: string, selling_price: number, currency = "EUR"): PriceRow {
  return { day, retailer: "acme", sku, selling_price, discount_pct: 0, currency };
}

test("a newer row with the same price is no change, the same number in another currency is one", async () => {
  const rows = [
    ...["dearer", "same", "other currency"].map((sku) => row("2026-01-01", sku, 10)),
    ...[row("2026-01-02", "dearer", 11), row("2026-01-02", "same", 10), row("2026-01-02", "other currency", 10, "USD")],
  ];

  expect(await changedSkus(rows)).toEqual(["dearer", "other currency"]);
});

test("a second price that a product got or lost is a change", async () => {
  const rows = [
    ...[row("2026-01-01", "got", 10), row("2026-01-01", "lost", 10), row("2026-01-01", "lost", 12)],
    ...[row("2026-01-02", "got", 10), row("2026-01-02", "got", 12), row("2026-01-02", "lost", 10)],
  ];

  expect(await changedSkus(rows)).toEqual(["got", "lost"]);
});

test("the differences of many products come by sku", async () => {
  const skus = Array.from({ length: 2_500 }, (_, index) => `s${(index * 7919) % 2_500}`);
  const rows = [...skus.map((sku) => row("2026-01-01", sku, 1)), ...skus.map((sku) => row("2026-01-02", sku, 2))];

  expect(await changedSkus(rows)).toEqual(skus.toSorted());
});

async function changedSkus(rows: readonly PriceRow[]): Promise<string[]> {
  const found: Difference[] = [];
  const options = { from: "2026-01-01", to: "2026-01-02", maxAge: undefined };
  const { products } = await diffAsOf(priceDays(rows), options, async (differences) => void found.push(...differences));
  expect(products).toEqual({ changed: found.length, appeared: 0, vanished: null, unchanged: expect.any(Number) });
  return found.map(({ sku }) => sku);
}
