import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import { flagError } from "../../cli/flags/values.ts";
import type { ProductGroup, QuestionColumn, QuestionOptions } from "../../cli/question/declaration.ts";
import { parseQuestion, type QuestionFlags } from "../../cli/question/question-flags.ts";
import { CATEGORY_SLUGS, CURRENCY, PRODUCT_KEY, REFERENCE_PRICE } from "../../cli/question/shared-columns.ts";

export const PERIODS = ["day", "week", "month"] as const;
export type PricePeriod = (typeof PERIODS)[number];

export interface LatestFlags extends QuestionFlags {
  gone?: boolean;
  groupBy?: ProductGroup;
  by?: PricePeriod;
}

/** Which last known prices `catalog latest` shows, and how. */
export interface LatestOptions extends QuestionOptions {
  gone: boolean;
  groupBy: ProductGroup | undefined;
  by: PricePeriod | undefined;
}

export const LATEST_COLUMNS: readonly QuestionColumn[] = [
  ...PRODUCT_KEY,
  { name: "title", kind: "text", meaning: "of the last row" },
  { name: "brand", kind: "text", meaning: "of the last row" },
  ...CATEGORY_SLUGS,
  CURRENCY,
  { name: "selling_price", kind: "price", meaning: "the last price: the lowest of its day" },
  { name: "mrp", kind: "price", meaning: "undiscounted price on that day" },
  { name: "discount_pct", kind: "number", meaning: "discount on that day, as crawled" },
  { name: "crawl_date", kind: "date", meaning: "day of the last price" },
  { name: "days_old", kind: "integer", meaning: "days from then to today (UTC), or to --end-date" },
  { name: "url", kind: "text", meaning: "product page" },
  ...REFERENCE_PRICE,
];

export const GONE_COLUMNS: readonly QuestionColumn[] = [
  ...LATEST_COLUMNS,
  { name: "reason", kind: "text", meaning: "--gone: gone, not_crawled (its shop or category was not) or unknown" },
];

const DISCOUNT_COLUMNS: readonly QuestionColumn[] = [
  { name: "products", kind: "integer", meaning: "of groups: number of products" },
  { name: "discounted_products", kind: "integer", meaning: "those whose discount_pct is above 0" },
  { name: "discounted_percent", kind: "percent", meaning: "their share of the products" },
  { name: "mean_discount_pct", kind: "percent", meaning: "mean of their discount_pct; null if there are none" },
];

/** The columns of groups, or of periods with `by`. */
export function groupColumns(
  groupBy: ProductGroup | undefined,
  by: PricePeriod | undefined,
): readonly QuestionColumn[] {
  const group: readonly QuestionColumn[] =
    groupBy === undefined ? [] : [{ name: groupBy, kind: "text", meaning: `the ${groupBy}` }];
  return by === undefined ? [...group, ...DISCOUNT_COLUMNS] : [...group, ...PERIOD_COLUMNS];
}

const PERIOD_COLUMNS: readonly QuestionColumn[] = [
  { name: "currency", kind: "text", meaning: "--by: of the prices" },
  { name: "period", kind: "date", meaning: "--by: its first day; weeks begin on Monday" },
  ...DISCOUNT_COLUMNS,
  { name: "price_min", kind: "price", meaning: "--by: the lowest of the prices known on the last day of the period" },
  { name: "price_p25", kind: "price", meaning: "a quarter of them is below (linear)" },
  { name: "price_median", kind: "price", meaning: "half of them" },
  { name: "price_p75", kind: "price", meaning: "three quarters of them" },
  { name: "price_max", kind: "price", meaning: "the highest" },
];

/** Of all variants, for the help. */
export const ALL_COLUMNS: readonly QuestionColumn[] = [...GONE_COLUMNS, ...PERIOD_COLUMNS].filter(
  ({ name }, at, all) => all.findIndex((column) => column.name === name) === at,
);

/** Short names for sort orders of products. */
export const LATEST_SORT_WORDS = {
  price: { column: "selling_price", descending: false },
  age: { column: "days_old", descending: true },
} as const;

/** Days for which a price is known, where products are counted or missed. */
const KNOWN_DAYS = 14;

export function parseLatestOptions(
  command: Command,
  folder: string | undefined,
  flags: LatestFlags,
  context: Context,
): LatestOptions {
  const { gone = false, groupBy, by } = flags;
  const hasGroups = groupBy !== undefined || by !== undefined;
  if (gone && hasGroups) {
    throw flagError("--gone", `cannot be combined with ${groupBy === undefined ? "--by" : "--group-by"}.`);
  }
  if (gone && flags.maxAge === "none") {
    throw flagError("--gone", "lists products whose price is older than --max-age; name a number of days.");
  }
  const products = gone ? GONE_COLUMNS : LATEST_COLUMNS;
  return {
    ...parseQuestion(command, folder, flags, context, {
      columns: hasGroups ? groupColumns(groupBy, by) : products,
      sortWords: hasGroups ? {} : LATEST_SORT_WORDS,
      maxAge: gone || hasGroups ? KNOWN_DAYS : undefined,
    }),
    ...{ gone, groupBy, by },
  };
}
