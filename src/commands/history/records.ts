import type { Series, SeriesPoint } from "../../prices/series.ts";

/** Members of a record in their order, which is also that of the CSV columns. */
export const HISTORY_COLUMNS: readonly string[] = [
  ...["retailer", "sku", "title", "department", "category", "crawl_date"],
  ...["currency", "mrp", "selling_price", "discount_pct", "percent"],
];

/** One day of a product; `percent` is the change from its day before, with two decimals, null for the first. */
export interface HistoryRecord {
  retailer: string;
  sku: string;
  title: string;
  department: string;
  category: string;
  crawl_date: string;
  currency: string;
  mrp: number;
  selling_price: number;
  discount_pct: number;
  percent: number | null;
}

export function historyRecords(series: readonly Series[]): HistoryRecord[] {
  return series.flatMap(({ title, points }) => points.map((point) => recordOf(point, title)));
}

function recordOf(point: SeriesPoint, title: string): HistoryRecord {
  const { retailer, sku, department, category, day, currency, mrp, selling_price, discount_pct, percent } = point;
  return {
    ...{ retailer, sku, title, department, category, crawl_date: day },
    ...{ currency, mrp, selling_price, discount_pct },
    percent: percent === undefined ? null : Number(percent.toFixed(2)),
  };
}
