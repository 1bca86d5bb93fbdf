import type { ProductGroup, QuestionColumn, QuestionOptions } from "../../cli/question/question.ts";
import { CATEGORY_SLUGS, CURRENCY, PRODUCT_KEY, REFERENCE_PRICE } from "../../cli/question/shared-columns.ts";

export const MOVER_COLUMNS: readonly QuestionColumn[] = [
  { name: "kind", kind: "string", meaning: "drop, rise, new_low or discount; a product may be listed under several" },
  ...PRODUCT_KEY,
  { name: "title", kind: "string", meaning: "from the newest row" },
  ...CATEGORY_SLUGS,
  CURRENCY,
  { name: "before_date", kind: "date", meaning: "day of the price that was known on --since" },
  {
    name: "before_selling_price",
    kind: "price",
    meaning: "that price; null if none was known",
  },
  { name: "date", kind: "date", meaning: "day of the last price" },
  { name: "selling_price", kind: "price", meaning: "the last price" },
  { name: "percent", kind: "percent", meaning: "change from before_selling_price; null if the currency changed" },
  { name: "mrp", kind: "price", meaning: "undiscounted price on that day" },
  { name: "discount_pct", kind: "number", meaning: "discount on that day, as crawled" },
  { name: "low_date", kind: "date", meaning: "last day of low_selling_price" },
  {
    name: "low_selling_price",
    kind: "price",
    meaning: "lowest price up to --since, none from before a change of currency",
  },
  { name: "brand", kind: "string", meaning: "from the newest row" },
  { name: "url", kind: "string", meaning: "product page" },
  { name: "difference", kind: "price", meaning: "selling_price - before_selling_price" },
  ...REFERENCE_PRICE,
  { name: "new_low_price", kind: "price", meaning: "new_low: lowest price after --since" },
  { name: "reached_date", kind: "date", meaning: "new_low: first day of new_low_price" },
  { name: "below_low_percent", kind: "percent", meaning: "new_low: from low_selling_price to new_low_price" },
  { name: "observed_days", kind: "integer", meaning: "days with a price, none from before a change of currency" },
  { name: "longest_gap_days", kind: "integer", meaning: "longest gap between two such days" },
];

export const MOVER_KINDS = ["drop", "rise", "new_low", "discount"] as const;
export type MoverKind = (typeof MOVER_KINDS)[number];

export interface MoversOptions extends QuestionOptions {
  kinds: readonly MoverKind[];
  groupBy: ProductGroup | undefined;
}
