import type { QuestionColumn, QuestionOptions } from "../../cli/question/question.ts";
import { PRODUCT_KEY, REFERENCE_PRICE } from "../../cli/question/shared-columns.ts";

/** What is said of the product; the same on each row. */
const ANSWER_COLUMNS: readonly QuestionColumn[] = [
  { name: "date", kind: "date", meaning: "day of the last price" },
  { name: "known_price", kind: "price", meaning: "the last price, as in latest" },
  { name: "days_old", kind: "integer", meaning: "days from then to today (UTC), or to the day that is named" },
  { name: "is_known", kind: "boolean", meaning: "whether it is at most --max-age old" },
  { name: "before_date", kind: "date", meaning: "day of the price that was known a week before" },
  { name: "before_selling_price", kind: "price", meaning: "that price, as in movers" },
  { name: "difference", kind: "price", meaning: "known_price - before_selling_price" },
  {
    name: "percent",
    kind: "percent",
    meaning: "change from before_selling_price; null if the currency changed in between",
  },
  { name: "low_date", kind: "date", meaning: "last day of low_selling_price" },
  { name: "low_selling_price", kind: "price", meaning: "the lowest price since the currency last changed" },
  { name: "present_since", kind: "date", meaning: "first day of the present price" },
  ...REFERENCE_PRICE,
  { name: "reason", kind: "string", meaning: "why its price is not known: gone, not_crawled or unknown" },
];

export const WHY_COLUMNS: readonly QuestionColumn[] = [
  ...PRODUCT_KEY,
  { name: "title", kind: "string", meaning: "of the crawled row" },
  { name: "crawl_date", kind: "date", meaning: "day of the crawled row" },
  { name: "file", kind: "string", meaning: "the file that it is in" },
  { name: "sha256", kind: "string", meaning: "of the file" },
  { name: "product_id", kind: "string", meaning: "of the crawled row" },
  { name: "currency", kind: "string", meaning: "of the crawled row" },
  { name: "mrp", kind: "price", meaning: "undiscounted price, as crawled, rounded to four decimals" },
  { name: "selling_price", kind: "price", meaning: "price, as crawled, rounded to four decimals" },
  { name: "discount_pct", kind: "number", meaning: "discount, as crawled" },
  { name: "counted", kind: "boolean", meaning: "whether it is the price of its day" },
  { name: "rule", kind: "string", meaning: "why not: suspect, dearer, other currency or no price" },
  { name: "figures", kind: "string", meaning: "which of the following come from it" },
  ...ANSWER_COLUMNS,
];

export interface WhyOptions extends QuestionOptions {
  retailer: string;
  sku: string;
}
