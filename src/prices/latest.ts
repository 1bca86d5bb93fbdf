import { copyRow, newColumns, type Prices } from "../mirror/prices/day-prices.ts";
import { priceAt } from "./observation.ts";

/** The newest price of a product. */
export type LatestPrice = ReturnType<typeof priceAt>;

/**
 * Finds the newest price of each product, which is one sku of one retailer; of several rows on its newest day the cheapest
 * counts.
 *
 * Memory: 36 bytes a product, and its newest price.
 *
 * @returns `prices`: one for each product; `rows`: those of all days
 */
export async function latestPrices({ listings, days }: Prices) {
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
  const prices = [...dayOf].flatMap((number, product) => {
    return number === 0 ? [] : priceAt(listings, newest, product, names[number] ?? "");
  });
  return { rows, prices };
}
