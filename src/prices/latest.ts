import { copyRow, newColumns, type PriceColumns, type Prices } from "../mirror/prices/day-prices.ts";
import type { Listings } from "../mirror/prices/listings.ts";
import type { Observation } from "./observation.ts";

/** The newest price of a product, without the texts that take long to read for each one. */
export type LatestPrice = Omit<Observation, "sku" | "currency">;

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
 * Memory: 36 bytes a product, and its newest price.
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
  const prices = [...dayOf].flatMap((number, product) => {
    const day = names[number] ?? "";
    return number === 0 ? [] : latestPrice(listings, newest, product, day);
  });
  return { rows, prices };
}

function latestPrice(
  { combinations, combination }: Listings,
  { listing: listingOf, place, mrp, selling_price, discount_pct }: PriceColumns,
  product: number,
  day: string,
): LatestPrice {
  const listing = listingOf[product] ?? 0;
  const { retailer = "", category = "", department = "" } = combinations[combination[listing] ?? 0] ?? {};
  return {
    retailer,
    category,
    department,
    listing,
    day,
    place: place[product] ?? 0,
    mrp: mrp[product] ?? Number.NaN,
    selling_price: selling_price[product] ?? Number.NaN,
    discount_pct: discount_pct[product] ?? Number.NaN,
  };
}
