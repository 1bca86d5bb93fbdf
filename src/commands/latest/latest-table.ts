import { numberCell, textCell } from "../../output/terminal/tables/cell.ts";
import {
  itemTable,
  numberColumn,
  textColumn,
  titleColumn,
  WHOLE_SKU,
} from "../../output/terminal/tables/item-table.ts";
import { recordTable } from "../../output/terminal/tables/row-table.ts";
import type { Table } from "../../output/terminal/tables/table.ts";
import { type Group, LATEST_COLUMNS } from "./options.ts";

/** A row of `latestQuery` without groups. */
export interface LatestPrice {
  retailer: string;
  sku: string;
  title: string | null;
  currency: string;
  selling_price: number;
  mrp: number;
  discount_pct: number;
  crawl_date: string;
  days_old: number;
  url: string | null;
}

/** A row of `latestQuery` with groups. */
export type DiscountGroup = Partial<Record<Group, string | null>> & {
  products: number;
  discounted_products: number;
  discounted_percent: number | null;
  mean_discount_pct: number | null;
};

export function latestTable(prices: readonly LatestPrice[], chosen: readonly string[] | undefined): Table {
  if (chosen !== undefined) {
    return recordTable(prices, LATEST_COLUMNS, chosen);
  }
  return itemTable(prices, [
    titleColumn(
      ({ title }) => title ?? "",
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

export function groupsTable(
  groups: readonly DiscountGroup[],
  by: Group,
  total: DiscountGroup | undefined,
  chosen: readonly string[] | undefined,
): Table {
  if (chosen !== undefined) {
    return recordTable(groups, chosen, chosen);
  }
  const percent = (heading: string, read: (group: DiscountGroup) => number | null) => ({
    heading,
    rigid: true,
    cell: (group: DiscountGroup) => numberCell(oneDecimal(read(group))),
    total: total && numberCell(oneDecimal(read(total))),
  });
  return itemTable(groups, [
    { ...textColumn<DiscountGroup>(by, (group) => group[by] || `no ${by}`), total: total && textCell("total") },
    numberColumn("products", ({ products }) => products, total?.products),
    numberColumn("discounted", ({ discounted_products }) => discounted_products, total?.discounted_products),
    percent("discounted %", ({ discounted_percent }) => discounted_percent),
    percent("mean discount %", ({ mean_discount_pct }) => mean_discount_pct),
  ]);
}

/** A number of at most six decimals, rounded half up to one: `toFixed` would round its binary value. */
function oneDecimal(percent: number | null): string | undefined {
  return percent === null ? undefined : (Math.round(Math.round(percent * 1e6) / 1e5) / 10).toFixed(1);
}
