import type { Rcd } from "../contract/filters.ts";
import type { PriceColumns } from "../mirror/prices/day-prices.ts";
import type { Listings } from "../mirror/prices/listings.ts";

/** What products can be grouped by. */
export const PRODUCT_GROUPS = ["retailer", "department", "category", "brand"] as const;
export type ProductGroup = (typeof PRODUCT_GROUPS)[number];

/** What a product cost on one crawl day. */
export interface Observation extends Rcd {
  /** `YYYY-MM-DD`. */
  day: string;
  /** The number of its row in the file of the day, by which its address is found. */
  place: number;
  /** Its number in the `Listings`, by which its title is found. */
  listing: number;
  sku: string;
  mrp: number;
  selling_price: number;
  discount_pct: number;
  currency: string;
}

/** Row number `row` of some prices, which are those of the day `day`, without the texts that take long to read for each. */
export function priceAt(
  { combinations, combination }: Listings,
  { listing: listingOf, place, mrp, selling_price, discount_pct }: PriceColumns,
  row: number,
  day: string,
) {
  const listing = listingOf[row] ?? 0;
  const { retailer = "", category = "", department = "" } = combinations[combination[listing] ?? 0] ?? {};
  return {
    ...{ day, place: place[row] ?? 0, listing, retailer, category, department },
    mrp: mrp[row] ?? Number.NaN,
    selling_price: selling_price[row] ?? Number.NaN,
    discount_pct: discount_pct[row] ?? Number.NaN,
  };
}

/** As `priceAt`, with all that is known of the row. */
export function observationAt(listings: Listings, columns: PriceColumns, row: number, day: string): Observation {
  const price = priceAt(listings, columns, row, day);
  const { currencies, currency, skuOf } = listings;
  return { ...price, sku: skuOf(price.listing), currency: currencies[currency[price.listing] ?? 0] ?? "" };
}

type Price = Pick<Observation, "selling_price" | "currency">;

/** The change from one price to another in percent; undefined if the currencies differ or the first price is 0. */
export function percentOf(before: Price, after: Price): number | undefined {
  const percent = ((after.selling_price - before.selling_price) / before.selling_price) * 100;
  return before.currency === after.currency && before.selling_price > 0 ? percent : undefined;
}

/** A percentage with two decimals, as records have it; null without one. */
export function roundedPercent(percent: number | undefined): number | null {
  return percent === undefined ? null : Number(percent.toFixed(2));
}
