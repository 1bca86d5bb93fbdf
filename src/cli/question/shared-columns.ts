import type { QuestionColumn } from "./question.ts";

export const RETAILER: QuestionColumn = { name: "retailer", kind: "string", meaning: "slug of the retailer" };

/** What identifies a product: the first columns of rows about products. */
export const PRODUCT_KEY: readonly QuestionColumn[] = [
  RETAILER,
  { name: "sku", kind: "string", meaning: "identifies the product at its retailer" },
];

export const CATEGORY_SLUGS: readonly QuestionColumn[] = [
  { name: "department", kind: "string", meaning: "slug of the department" },
  { name: "category", kind: "string", meaning: "slug of the category" },
];

/** For rows whose prices all have one currency. */
export const CURRENCY: QuestionColumn = { name: "currency", kind: "string", meaning: "of all prices in the row" };

/** The reference price of a price, and the real discount from it. */
export const REFERENCE_PRICE: readonly QuestionColumn[] = [
  {
    name: "reference_price",
    kind: "price",
    meaning: "lowest price of the 30 days before the present price (98/6/EC, 6a)",
  },
  {
    name: "real_discount_pct",
    kind: "percent",
    meaning: "how far the price is below the reference price; negative if it is above",
  },
  {
    name: "reference_days",
    kind: "integer",
    meaning: "number of the 30 days before the present price with a price at most seven days old",
  },
];
