import type { ProductGroup, QuestionColumn, QuestionOptions } from "../../cli/question/question.ts";
import { CATEGORY_SLUGS, CURRENCY, PRODUCT_KEY, REFERENCE_PRICE } from "../../cli/question/shared-columns.ts";

export const LATEST_COLUMNS: readonly QuestionColumn[] = [
  ...PRODUCT_KEY,
  { name: "title", kind: "string", meaning: "of the last row" },
  { name: "brand", kind: "string", meaning: "of the last row" },
  ...CATEGORY_SLUGS,
  CURRENCY,
  { name: "selling_price", kind: "price", meaning: "the last price: the lowest of its day" },
  { name: "mrp", kind: "price", meaning: "undiscounted price on that day" },
  { name: "discount_pct", kind: "number", meaning: "discount on that day, as crawled" },
  { name: "crawl_date", kind: "date", meaning: "day of the last price" },
  { name: "days_old", kind: "integer", meaning: "days from then to today (UTC), or to --end-date" },
  { name: "url", kind: "string", meaning: "product page" },
  ...REFERENCE_PRICE,
];

export const GONE_COLUMNS: readonly QuestionColumn[] = [
  ...LATEST_COLUMNS,
  {
    name: "reason",
    kind: "string",
    meaning: "--gone: gone, not_crawled (its retailer or category was not) or unknown",
  },
];

const DISCOUNT_COLUMNS: readonly QuestionColumn[] = [
  { name: "products", kind: "integer", meaning: "of groups: number of products" },
  { name: "discounted_products", kind: "integer", meaning: "those whose discount_pct is above 0" },
  { name: "discounted_percent", kind: "percent", meaning: "their share of the products" },
  { name: "mean_discount_pct", kind: "percent", meaning: "mean of their discount_pct; null if there are none" },
];

/** The columns of groups, or of periods with `by`. */
export function groupColumns(groupBy: ProductGroup | undefined, by: string | undefined): readonly QuestionColumn[] {
  const group: readonly QuestionColumn[] =
    groupBy === undefined ? [] : [{ name: groupBy, kind: "string", meaning: `the ${groupBy}` }];
  return by === undefined ? [...group, ...DISCOUNT_COLUMNS] : [...group, ...PERIOD_COLUMNS];
}

const PERIOD_COLUMNS: readonly QuestionColumn[] = [
  { name: "currency", kind: "string", meaning: "--by: of the prices" },
  { name: "period", kind: "date", meaning: "--by: its first day; weeks begin on Monday" },
  ...DISCOUNT_COLUMNS,
  { name: "price_min", kind: "price", meaning: "--by: the lowest of the prices known on the last day of the period" },
  { name: "price_p25", kind: "price", meaning: "a quarter of them is below (linear)" },
  { name: "price_median", kind: "price", meaning: "half of them" },
  { name: "price_p75", kind: "price", meaning: "three quarters of them" },
  { name: "price_max", kind: "price", meaning: "the highest" },
];

export const ALL_COLUMNS: readonly QuestionColumn[] = [...GONE_COLUMNS, ...PERIOD_COLUMNS].filter(
  ({ name }, at, all) => all.findIndex((column) => column.name === name) === at,
);

export const PERIODS = ["day", "week", "month"] as const;

export interface LatestOptions extends QuestionOptions {
  gone: boolean;
  groupBy: ProductGroup | undefined;
  by: (typeof PERIODS)[number] | undefined;
}
