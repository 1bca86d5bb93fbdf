import type { QuestionColumn, QuestionOptions } from "../../cli/question/question.ts";
import { RETAILER } from "../../cli/question/shared-columns.ts";
import type { DateExpression } from "../../contract/values/date-expression.ts";

export const INDEX_COLUMNS: readonly QuestionColumn[] = [
  RETAILER,
  { name: "crawl_date", kind: "date", meaning: "a day on which the retailer was crawled" },
  { name: "currency", kind: "string", meaning: "of both values" },
  { name: "index", kind: "number", meaning: "100 * basket_value / base_value, exact to six decimals" },
  { name: "basket_value", kind: "price", meaning: "of the priced products on that day" },
  { name: "products_priced", kind: "integer", meaning: "products with a price on the base day and on that day" },
  { name: "products", kind: "integer", meaning: "products of the basket for this retailer" },
  { name: "base_date", kind: "date", meaning: "the base day" },
  { name: "base_value", kind: "price", meaning: "of the same products on the base day" },
];

/** What `catalog index` computes. Its days are not part of the filters, because earlier prices are still known on the first one. */
export interface IndexOptions extends QuestionOptions {
  /** The basket: a path, or `-` for standard input. */
  ownList: string;
  /** The day on which the index is 100; undefined for the first one with a price. */
  base: DateExpression | undefined;
  /** The first and the last day; undefined for those of the folder. */
  startDate: DateExpression | undefined;
  endDate: DateExpression | undefined;
}
