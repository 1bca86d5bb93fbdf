import { copyRow, newColumns, type Prices } from "../mirror/prices/day-prices.ts";
import type { Observation } from "./observation.ts";

/** The newest price of a product, without the texts that take long to read for each one. */
export type LatestPrice = Pick<Observation, "retailer" | "day" | "listing" | "discount_pct">;

export interface LatestPrices {
  /** Rows of all days. */
  rows: number;
  /** One for each product. */
  prices: readonly LatestPrice[];
}

/**
 * Finds the newest price of each product, which is one sku of one retailer; of several rows on its newest day the cheapest
 * counts.
 *
 * Memory: 32 bytes a product, and its newest price.
 */
export async function latestPrices({ listings, days }: Prices): Promise<LatestPrices> {
  const newest = newColumns(listings.products);
  /** For each product the number of its newest day, from 1. */
  const dayOf = new Uint32Array(listings.products);
  const names = [""];
  let rows = 0;
  for await (const prices of days()) {
    rows += prices.rows;
    const day = names.push(prices.day) - 1;
    for (let row = 0; row < prices.rows; row += 1) {
      const product = listings.product[prices.listing[row] ?? 0] ?? 0;
      if (dayOf[product] !== day || (prices.selling_price[row] ?? 0) < (newest.selling_price[product] ?? 0)) {
        copyRow(newest, product, prices, row);
        dayOf[product] = day;
      }
    }
  }
  const { combinations, combination } = listings;
  const prices: LatestPrice[] = [];
  for (const [product, number] of dayOf.entries()) {
    if (number > 0) {
      const listing = newest.listing[product] ?? 0;
      const { retailer = "" } = combinations[combination[listing] ?? 0] ?? {};
      const discount_pct = newest.discount_pct[product] ?? 0;
      prices.push({ retailer, day: names[number] ?? "", listing, discount_pct });
    }
  }
  return { rows, prices };
}
