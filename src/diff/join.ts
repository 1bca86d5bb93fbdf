import { sameNumber } from "../contract/values/decimal.ts";
import type { Day } from "./day-rows.ts";
import { type Listing, unpackListing, unpackProduct } from "./listing.ts";

export const CHANGES = ["changed", "appeared", "vanished"] as const;
export type Change = (typeof CHANGES)[number];

/**
 * One difference between two days. `from` is absent if the product appeared, `to` if it vanished. If a
 * product has several prices on a day, `changed` with only one side is a price that was added or removed.
 */
export interface Difference {
  change: Change;
  retailer: string;
  sku: string;
  from: Listing | undefined;
  to: Listing | undefined;
  /** The days of the two rows, if they may differ from the compared days. */
  seen?: { from: string | undefined; to: string | undefined } | undefined;
}

/** The result for one product; `unchanged` has no differences. */
export interface ProductComparison {
  change: Change | "unchanged";
  differences: readonly Difference[];
}

/** Compares two days product by product, in the order of retailer and sku by code unit. */
export function* joinDays(from: Day, to: Day): Generator<ProductComparison, void, void> {
  const products = [...new Set([...from.keys(), ...to.keys()])].sort();
  for (const product of products) {
    yield compareProduct(product, from.get(product), to.get(product));
  }
}

function compareProduct(
  product: string,
  from: readonly string[] | undefined,
  to: readonly string[] | undefined,
): ProductComparison {
  const change: Change = from === undefined ? "appeared" : to === undefined ? "vanished" : "changed";
  const before = distinctPrices(from ?? []);
  const after = distinctPrices(to ?? []);
  const gone = without(before, after);
  const come = without(after, before);
  const { retailer, sku } = unpackProduct(product);
  const differences = Array.from({ length: Math.max(gone.length, come.length) }, (_, index) => ({
    change,
    retailer,
    sku,
    from: gone[index],
    to: come[index],
  }));
  return { change: differences.length === 0 ? "unchanged" : change, differences };
}

/** One listing of each price, the cheapest first: a product listed in two categories at one price counts once. */
function distinctPrices(facts: readonly string[]): Listing[] {
  return [...facts]
    .sort()
    .map(unpackListing)
    .filter((listing, index, all) => all.findIndex((other) => samePrices(listing, other)) === index)
    .sort((a, b) => Number(a.selling_price) - Number(b.selling_price));
}

function without(listings: readonly Listing[], others: readonly Listing[]): Listing[] {
  return listings.filter((listing) => !others.some((other) => samePrices(listing, other)));
}

/** Whether two listings have the same prices by value: `19.90` and `19.9` are one price, a reworded title is no change. */
function samePrices(a: Listing, b: Listing): boolean {
  return (
    a.currency === b.currency &&
    sameNumber(a.mrp, b.mrp) &&
    sameNumber(a.selling_price, b.selling_price) &&
    sameNumber(a.discount_pct, b.discount_pct)
  );
}
