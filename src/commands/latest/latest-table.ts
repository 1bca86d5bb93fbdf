import { compareTexts } from "../../cli/order.ts";
import { numberCell } from "../../cli/terminal/tables/cell.ts";
import { itemTable, numberColumn, textColumn, titleColumn, WHOLE_SKU } from "../../cli/terminal/tables/item-table.ts";
import type { Table } from "../../cli/terminal/tables/table.ts";
import { groupBy } from "../../contract/values/group-by.ts";
import type { ColumnType } from "../../export/formats/encoder.ts";
import { brandIn, type Listings } from "../../folder/index/listings.ts";
import { type Discounts, discountsOf } from "../../folder/prices/discounts.ts";
import { withDecimals } from "../../folder/prices/exact.ts";
import type { LatestPrice } from "../../folder/prices/latest.ts";
import type { ProductGroup } from "../../folder/prices/observation.ts";

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

export function latestTable(prices: readonly LatestRecord[]): Table {
  return itemTable(prices, [
    titleColumn(
      ({ title }) => title,
      ({ url }) => url ?? undefined,
    ),
    textColumn("retailer", ({ retailer }) => retailer),
    textColumn("sku", ({ sku }) => sku, { minimum: WHOLE_SKU }),
    numberColumn("price", ({ selling_price }) => selling_price),
    textColumn("currency", ({ currency }) => currency, { rigid: true }),
    textColumn("seen", ({ crawl_date }) => crawl_date, { rigid: true }),
    numberColumn("days old", ({ days_old }) => days_old),
    numberColumn("discount %", ({ discount_pct }) => (discount_pct > 0 ? discount_pct : undefined)),
    numberColumn("mrp", ({ mrp }) => mrp),
  ]);
}

export function groupsTable(groups: readonly GroupRecord[], by: ProductGroup, total: Discounts): Table {
  const percent = (heading: string, name: "discounted_percent" | "mean_discount_pct") => {
    const cell = ({ [name]: value }: { [one in typeof name]: number | null | undefined }) =>
      numberCell(value == null ? undefined : withDecimals(value, 1));
    return { heading, rigid: true, cell, total: cell(total) };
  };
  return itemTable(groups, [
    textColumn<GroupRecord>(by, (group) => group[by] || `no ${by}`, { total: "total" }),
    numberColumn("products", ({ products }) => products, total.products),
    numberColumn("discounted", ({ discounted_products }) => discounted_products, total.discounted_products),
    percent("discounted %", "discounted_percent"),
    percent("mean discount %", "mean_discount_pct"),
  ]);
}
