import { compareTexts } from "../../cli/order.ts";
import { dayNumber } from "../../contract/values/day-arithmetic.ts";
import { groupBy } from "../../contract/values/group-by.ts";
import { brandIn, type Listings } from "../../mirror/prices/listings.ts";
import type { ColumnType } from "../../output/formats/encoder.ts";
import { discountsOf } from "../../prices/discounts.ts";
import type { LatestPrice } from "../../prices/latest.ts";
import type { ProductGroup } from "../../prices/observation.ts";
import type { SetFilters } from "../../pull/set-filters.ts";

/** The types of the columns in Parquet that are not those of a product row. */
export const LATEST_TYPES: Readonly<Record<string, ColumnType>> = {
  days_old: { kind: "integer", nullable: false },
  // Files of earlier versions may lack it.
  url: { kind: "string", nullable: true },
  products: { kind: "integer", nullable: false },
  discounted_products: { kind: "integer", nullable: false },
  discounted_percent: { kind: "number", nullable: false },
  mean_discount_pct: { kind: "number", nullable: true },
};

/** The newest price of a product, with its age. */
export interface AgedPrice extends LatestPrice {
  sku: string;
  days_old: number;
}

/** Days from which ages count, `YYYY-MM-DD`: that of each retailer that has one of its own, and that of the others. */
export type AgeDays = ReturnType<typeof ageDays>;

/** @param today `YYYY-MM-DD` */
export function ageDays({ end_date = "", own_days = {} }: SetFilters, today: string) {
  const own = new Map(Object.entries(own_days).map(([retailer, window]) => [retailer, window.end_date ?? today]));
  return { own, others: end_date || today };
}

/** The age of prices on a day, for many of few days. */
export function ageOf({ own, others }: AgeDays): (price: LatestPrice) => number {
  const numbers = new Map<string, number>();
  const numberOf = (day: string) => numbers.get(day) ?? numbers.set(day, dayNumber(day)).get(day) ?? Number.NaN;
  return ({ retailer, day }) => numberOf(own.get(retailer) ?? others) - numberOf(day);
}

export type LatestRecord = ReturnType<typeof latestRecord>;

/** The members in the order of the columns. */
export function latestRecord(price: AgedPrice, listings: Listings, url: string | undefined) {
  const { listing } = price;
  return {
    retailer: price.retailer,
    sku: price.sku,
    title: listings.titleOf(listing),
    brand: brandIn(listings.modelOf(listing)),
    department: price.department,
    category: price.category,
    currency: listings.currencies[listings.currency[listing] ?? 0] ?? "",
    selling_price: price.selling_price,
    mrp: price.mrp,
    discount_pct: price.discount_pct,
    crawl_date: price.day,
    days_old: price.days_old,
    url: url ?? null,
  };
}

export type GroupRecord = ReturnType<typeof groupRecords>[number];

/** The discounts of each group, by its name. */
export function groupRecords(prices: readonly LatestPrice[], by: ProductGroup, listings: Listings) {
  const nameOf = (price: LatestPrice) => (by === "brand" ? brandIn(listings.modelOf(price.listing)) : price[by]);
  return [...groupBy(prices, nameOf)]
    .map(([name, own]) => {
      const { discounted_percent = null, mean_discount_pct = null, ...counts } = discountsOf(own);
      const group: Partial<Record<ProductGroup, string>> = { [by]: name };
      return { ...group, ...counts, discounted_percent, mean_discount_pct };
    })
    .sort((a, b) => compareTexts(a[by] ?? "", b[by] ?? ""));
}
