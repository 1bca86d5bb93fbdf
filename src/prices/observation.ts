import type { Rcd } from "../contract/filters.ts";
import { type DayPrices, skuOf } from "../mirror/prices/day-prices.ts";

/** What a product cost on one crawl day. */
export interface Observation extends Rcd {
  /** `YYYY-MM-DD`. */
  day: string;
  sku: string;
  mrp: number;
  selling_price: number;
  discount_pct: number;
  currency: string;
}

export function observationAt(prices: DayPrices, row: number): Observation {
  const { retailer = "", category = "", department = "" } = prices.combinations[prices.combination[row] ?? 0] ?? {};
  return {
    ...{ day: prices.day, sku: skuOf(prices, row), retailer, category, department },
    mrp: prices.mrp[row] ?? Number.NaN,
    selling_price: prices.selling_price[row] ?? Number.NaN,
    discount_pct: prices.discount_pct[row] ?? Number.NaN,
    currency: prices.currencies[prices.currency[row] ?? 0] ?? "",
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
