import { numberCell } from "../../output/terminal/tables/cell.ts";
import {
  itemTable,
  numberColumn,
  textColumn,
  titleColumn,
  WHOLE_SKU,
} from "../../output/terminal/tables/item-table.ts";
import type { Table } from "../../output/terminal/tables/table.ts";
import type { Discounts } from "../../prices/discounts.ts";
import { withDecimals } from "../../prices/exact.ts";
import type { ProductGroup } from "../../prices/observation.ts";
import type { GroupRecord, LatestRecord } from "./latest-records.ts";

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
    const cell = (discounts: { [one in typeof name]: number | null | undefined }) =>
      numberCell(oneDecimal(discounts[name]));
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

function oneDecimal(percent: number | null | undefined): string | undefined {
  return percent == null ? undefined : withDecimals(percent, 1);
}
