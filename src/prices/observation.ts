import type { Rcd } from "../contract/filters.ts";
import type { DayPrices } from "../mirror/prices/day-prices.ts";
import type { Listings } from "../mirror/prices/listings.ts";

/** What a product cost on one crawl day. */
export interface Observation extends Rcd {
  /** `YYYY-MM-DD`. */
  day: string;
  /** Its number in the `Listings`, by which its title is found. */
  listing: number;
  sku: string;
  mrp: number;
  selling_price: number;
  discount_pct: number;
  currency: string;
}

/** The prices of one row. */
export type RowPrices = Pick<Observation, "mrp" | "selling_price" | "discount_pct">;

export function pricesAt(prices: Pick<DayPrices, "mrp" | "selling_price" | "discount_pct">, row: number): RowPrices {
  return {
    mrp: prices.mrp[row] ?? Number.NaN,
    selling_price: prices.selling_price[row] ?? Number.NaN,
    discount_pct: prices.discount_pct[row] ?? Number.NaN,
  };
}

export function observationOf(listings: Listings, listing: number, day: string, prices: RowPrices): Observation {
  const { combinations, combination, currencies, currency } = listings;
  const { retailer = "", category = "", department = "" } = combinations[combination[listing] ?? 0] ?? {};
  return {
    ...{ day, listing, sku: listings.skuOf(listing), retailer, category, department },
    mrp: prices.mrp,
    selling_price: prices.selling_price,
    discount_pct: prices.discount_pct,
    currency: currencies[currency[listing] ?? 0] ?? "",
  };
}

/** The change from one price to another in percent; undefined if the currencies differ or the first price is 0. */
export function percentOf(
  before: Pick<Observation, "selling_price" | "currency">,
  after: Pick<Observation, "selling_price" | "currency">,
): number | undefined {
  return before.currency === after.currency && before.selling_price > 0
    ? ((after.selling_price - before.selling_price) / before.selling_price) * 100
    : undefined;
}
