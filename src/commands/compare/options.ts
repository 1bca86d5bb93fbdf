import type { QuestionColumn, QuestionOptions } from "../../cli/question/question.ts";
import { CURRENCY } from "../../cli/question/shared-columns.ts";

const SHARED_COLUMNS: readonly QuestionColumn[] = [
  CURRENCY,
  { name: "retailers", kind: "integer", meaning: "number of retailers that have the product" },
  { name: "cheapest_retailer", kind: "string", meaning: "the one with the lowest price" },
  { name: "cheapest_price", kind: "price", meaning: "the lowest price" },
  { name: "dearest_price", kind: "price", meaning: "the highest of the retailers' lowest prices" },
  { name: "spread_percent", kind: "percent", meaning: "from cheapest_price to dearest_price" },
];

/** The columns of every folder. */
export function compareColumns(by: readonly string[]): readonly QuestionColumn[] {
  return [
    ...by.map((name): QuestionColumn => ({ name, kind: "string", meaning: "as the cheapest retailer writes it" })),
    ...SHARED_COLUMNS,
  ];
}

export function priceOfRetailer(retailer: string): QuestionColumn {
  return { name: `price_${retailer}`, kind: "price", meaning: `of its cheapest product` };
}

/** The columns that a comparison by any key has; a column for each retailer is added to them. */
export const COMPARE_COLUMNS = compareColumns(["brand", "title", "sku", "model_number"]);

/** What a product can be recognized by at another retailer. */
export const KEYS = ["model_number", "sku", "title", "brand,title"] as const;

export interface CompareOptions extends QuestionOptions {
  /** Columns whose values are equal for the same product. */
  by: readonly string[];
  /** How prices are converted; undefined if each currency is compared on its own. */
  conversion: { rates: string; currency: string } | undefined;
}
