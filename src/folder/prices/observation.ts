import type { PriceColumns, Prices } from "../index/day-prices.ts";

/** Row number `row` of columns of some prices, without the texts that take long to read for each. */
export function priceAt({ listings, dayNames }: Prices, columns: PriceColumns, row: number) {
  /** Its number in the `Listings`, by which its title is found. */
  const listing = columns.listing[row] ?? 0;
  const { retailer, category, department } = listings.rcdOf(listing);
  return {
    ...{ listing, retailer, category, department },
    /** `YYYY-MM-DD`. */
    day: dayNames[columns.dayNumber[row] ?? 0] ?? "",
    /** The number of its row in the file of the day, by which its address is found. */
    place: columns.place[row] ?? 0,
    mrp: columns.mrp[row] ?? Number.NaN,
    selling_price: columns.selling_price[row] ?? Number.NaN,
    discount_pct: columns.discount_pct[row] ?? Number.NaN,
  };
}

/** As `priceAt`, with all that is known of the row. */
export function observationAt(prices: Prices, columns: PriceColumns, row: number) {
  const price = priceAt(prices, columns, row);
  const { skuOf, currencyOf } = prices.listings;
  return { ...price, sku: skuOf(price.listing), currency: currencyOf(price.listing) };
}

/** What a product cost on one crawl day. */
export type Observation = ReturnType<typeof observationAt>;
