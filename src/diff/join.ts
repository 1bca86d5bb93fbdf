import type { Day } from "./day-rows.ts";
import { type Listing, unpackListing, unpackProduct } from "./listing.ts";
import { samePrices } from "./prices.ts";

export const CHANGES = ["changed", "appeared", "vanished"] as const;
export type Change = (typeof CHANGES)[number];

/**
 * One difference between two days. `from` is absent if the product appeared, `to` if it vanished. If a
 * product that was listed on both days had several prices, `changed` with one side alone is a price that came or went.
 */
export interface Difference {
  change: Change;
  retailer: string;
  sku: string;
  from: Listing | undefined;
  to: Listing | undefined;
  /** The days of the rows that are compared, where they may be others than the compared days. */
  seen?: { from: string | undefined; to: string | undefined } | undefined;
}

/** How one product fared; `unchanged` has no differences. */
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
