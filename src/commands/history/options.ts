import type { QuestionColumn, QuestionOptions } from "../../cli/question/question.ts";
import { PRODUCT_KEY } from "../../cli/question/shared-columns.ts";

export const HISTORY_COLUMNS: readonly QuestionColumn[] = [
  ...PRODUCT_KEY,
  { name: "title", kind: "string", meaning: "of the last day" },
  { name: "department", kind: "string", meaning: "slug of the department on the day" },
  { name: "category", kind: "string", meaning: "slug of the category on the day" },
  { name: "crawl_date", kind: "date", meaning: "the day" },
  { name: "currency", kind: "string", meaning: "of the prices of the row" },
  { name: "mrp", kind: "price", meaning: "undiscounted price" },
  { name: "selling_price", kind: "price", meaning: "the lowest price of the day" },
  { name: "discount_pct", kind: "number", meaning: "discount, as crawled" },
  { name: "percent", kind: "percent", meaning: "change from the price before it in the same currency" },
  { name: "suspect", kind: "boolean", meaning: "true: the price is in no figure, see --suspect-factor" },
  { name: "days_old", kind: "integer", meaning: "days from the last price of the product to today, or to --end-date" },
];

export interface HistoryOptions extends QuestionOptions {
  /** The skus of the products; empty with `search`, and for all products of an own list. */
  skus: readonly string[];
  search: readonly string[];
}
