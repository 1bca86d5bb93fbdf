import { roundedPercent } from "../../prices/observation.ts";
import type { Series } from "../../prices/series.ts";

/** Members of a record in their order, which is also that of the CSV columns. */
export const HISTORY_COLUMNS: readonly string[] = [
  ...["retailer", "sku", "title", "department", "category", "crawl_date"],
  ...["currency", "mrp", "selling_price", "discount_pct", "percent"],
];

export type HistoryRecord = ReturnType<typeof historyRecords>[number];

/** One record a day; `percent` is the change from the day before, with two decimals, null for the first. */
export function historyRecords(series: readonly Series[]) {
  return series.flatMap(({ title, points }) =>
    points.map(({ retailer, sku, department, category, day, percent, ...prices }) => ({
      retailer,
      sku,
      title,
      department,
      category,
      crawl_date: day,
      currency: prices.currency,
      mrp: prices.mrp,
      selling_price: prices.selling_price,
      discount_pct: prices.discount_pct,
      percent: roundedPercent(percent),
    })),
  );
}
