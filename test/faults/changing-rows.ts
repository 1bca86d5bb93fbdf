import type { Product } from "../../src/contract/product.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { product } from "../helpers/products.ts";
import type { Change } from "./fault-proxy.ts";

/**
 * Neither this number nor those after a few changes is near a multiple of 32 pages of one of `PAGE_SIZES`: there the plan of
 * a changed set would have other slices than the one that went on with the cuts of the set before.
 */
const COUNT = 2_300;
export const PAGE_SIZES = [25, 40];

/** Rows of a large combination of two retailers, which are cut by date, and of small ones. */
const FIRST = Array.from({ length: COUNT }, (_, index) => {
  const isLarge = index % 3 > 0;
  return product({
    sku: `sku-${(index * 7_919) % COUNT}`,
    retailer: index % 2 === 0 ? "acme" : "bolt",
    category: isLarge ? "lamps" : `category-${index % 7}`,
    crawl_date: addDays("2026-01-01", isLarge ? index % 28 : 14),
    title: index % 10 === 0 ? `"quoted", ${index}\n` : `title ${index}`,
  });
});

/** The combinations that change, each on one day: so every slice that a change touches has another number of rows after it. */
const CHANGING = ["acme:lamps", "bolt:lamps", "acme:category-0", "bolt:category-3"];
const DAY = "2026-01-15";

/** The rows of the service after these changes. The numbers of rows differ from those of every earlier version. */
export function rowsAfter(changes: readonly Change[]): Product[] {
  return changes.reduce((rows, change, step) => {
    const kept = change === "added" ? rows : rows.filter((row) => !isRemoved(row, rows, change === "removed" ? 5 : 6));
    return change === "removed" ? kept : [...kept, ...newRows(step, change === "added" ? 4 : 3)];
  }, FIRST);
}

function isRemoved(row: Product, rows: readonly Product[], count: number): boolean {
  const { retailer, category, crawl_date } = row;
  if (crawl_date !== DAY || !CHANGING.includes(`${retailer}:${category}`)) {
    return false;
  }
  const those = rows.filter(
    (other) => other.retailer === retailer && other.category === category && other.crawl_date === DAY,
  );
  return those.indexOf(row) < count;
}

function newRows(step: number, count: number): Product[] {
  return CHANGING.flatMap((combination) => {
    const [retailer = "", category = ""] = combination.split(":");
    return Array.from({ length: count }, (_, index) =>
      product({ retailer, category, crawl_date: DAY, sku: `sku-${index * 500}-new-${step}` }),
    );
  });
}
