import { copyRow, filledRows, newColumns, type Prices } from "../index/day-prices.ts";
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
export async function latestPrices(prices: Prices) {
  const { listings } = prices;
  const newest = newColumns(listings.products);
  let rows = 0;
  for await (const day of prices.days()) {
    rows += day.rows;
    for (let row = 0; row < day.rows; row += 1) {
      const product = listings.product[day.listing[row] ?? 0] ?? 0;
      const isSameDay = newest.dayNumber[product] === day.dayNumber[row];
      if (!isSameDay || (day.selling_price[row] ?? 0) < (newest.selling_price[product] ?? 0)) {
        copyRow(newest, product, day, row);
      }
    }
  }
  return { rows, prices: filledRows(newest).map((product) => priceAt(prices, newest, product)) };
}
