import { sameNumber } from "../../contract/values/decimal.ts";
import type { ProductFacts } from "./product-facts.ts";

/** The two days of a comparison. */
export const SIDES = ["from", "to"] as const;
export type Side = (typeof SIDES)[number];

export type Change = "changed" | "appeared" | "vanished";

/**
 * One difference between two days. `from` is absent if the product appeared, `to` if it vanished. If a
 * product has several prices on a day, `changed` with only one side is a price that was added or removed.
 */
export interface Difference {
  change: Change;
  retailer: string;
  sku: string;
  from: ProductFacts | undefined;
  to: ProductFacts | undefined;
  /** The days of the two rows, if they may differ from the compared days. */
  seen?: Record<Side, string | undefined> | undefined;
}

/** The result for one product; `unchanged` has no differences. */
interface ProductComparison {
  change: Change | "unchanged";
  differences: readonly Difference[];
}

/**
 * Compares the facts of a product's rows on two days, each in the order of `packFacts`; no facts mean that the product was
 * absent.
 */
export function compareProduct(
  product: { retailer: string; sku: string },
  from: readonly ProductFacts[],
  to: readonly ProductFacts[],
): ProductComparison {
  const change = from.length === 0 ? "appeared" : to.length === 0 ? "vanished" : "changed";
  const before = distinctPrices(from);
  const after = distinctPrices(to);
  const gone = withoutPricesOf(after, before);
  const come = withoutPricesOf(before, after);
  const differences = Array.from({ length: Math.max(gone.length, come.length) }, (_, index) => {
    return { change, ...product, from: gone[index], to: come[index] } as const;
  });
  return { change: differences.length === 0 ? "unchanged" : change, differences };
}

/** One row of each price, the cheapest first: a product that has one price in two categories counts once. */
function distinctPrices(rows: readonly ProductFacts[]): ProductFacts[] {
  return rows
    .filter((facts, index, all) => all.findIndex((other) => samePrices(facts, other)) === index)
    .sort((a, b) => Number(a.selling_price) - Number(b.selling_price));
}

function withoutPricesOf(others: readonly ProductFacts[], facts: readonly ProductFacts[]): ProductFacts[] {
  return facts.filter((one) => !others.some((other) => samePrices(one, other)));
}

/** Whether prices are the same by value: `19.90` and `19.9` are one price, a reworded title is no change. */
function samePrices(a: ProductFacts, b: ProductFacts): boolean {
  return (
    a.currency === b.currency &&
    sameNumber(a.mrp, b.mrp) &&
    sameNumber(a.selling_price, b.selling_price) &&
    sameNumber(a.discount_pct, b.discount_pct)
  );
}
