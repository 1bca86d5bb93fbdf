import { quotient, scaled } from "./exact.ts";
import type { Observation } from "./observation.ts";

/** Decimals of a discount that count. */
const SCALE = 12;

/** How many of some products are discounted, and by how much. Percentages are exact, rounded to six decimals. */
export function discountsOf(prices: readonly Pick<Observation, "discount_pct">[]) {
  /** How often each discount occurs: most products have one of a few. */
  const counts = new Map<number, number>();
  for (const { discount_pct } of prices) {
    if (discount_pct > 0) {
      counts.set(discount_pct, (counts.get(discount_pct) ?? 0) + 1);
    }
  }
  let discounted = 0;
  let sum = 0n;
  for (const [discount, count] of counts) {
    discounted += count;
    sum += scaled(discount, SCALE) * BigInt(count);
  }
  return {
    products: prices.length,
    /** Those whose `discount_pct` is above 0. */
    discounted_products: discounted,
    /** Their share of the products; undefined without any. */
    discounted_percent: quotient(100n * BigInt(discounted), BigInt(prices.length)),
    /** The mean `discount_pct` of the discounted products; undefined without any. */
    mean_discount_pct: quotient(sum, 10n ** BigInt(SCALE) * BigInt(discounted)),
  };
}
