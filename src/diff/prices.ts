import { sameNumber } from "../contract/decimal.ts";
import type { Listing } from "./listing.ts";

/** Whether two listings have the same prices by value: `19.90` and `19.9` are one price, a reworded title is no change. */
export function samePrices(a: Listing, b: Listing): boolean {
  return (
    a.currency === b.currency &&
    sameNumber(a.mrp, b.mrp) &&
    sameNumber(a.selling_price, b.selling_price) &&
    sameNumber(a.discount_pct, b.discount_pct)
  );
}
