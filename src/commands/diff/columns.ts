import type { QuestionColumn } from "../../cli/question/declaration.ts";
import { CATEGORY_SLUGS, PRODUCT_KEY } from "../../cli/question/shared-columns.ts";

const text = (name: string, meaning: string): QuestionColumn => ({ name, kind: "text", meaning });

const price = (name: string, meaning: string): QuestionColumn => ({ name, kind: "price", meaning });

export const DIFF_COLUMNS: readonly QuestionColumn[] = [
  text("change", "changed, appeared (never seen before), returned or vanished"),
  ...PRODUCT_KEY,
  ...CATEGORY_SLUGS,
  text("title", "of the later row"),
  { name: "from_date", kind: "date", meaning: "the earlier day" },
  { name: "to_date", kind: "date", meaning: "the later day" },
  price("from_mrp", "undiscounted price of the earlier day"),
  price("to_mrp", "undiscounted price of the later day"),
  price("from_selling_price", "price of the earlier day; null if none is known"),
  price("to_selling_price", "price of the later day; null if none is known"),
  { name: "from_discount_pct", kind: "number", meaning: "discount of the earlier day, as crawled" },
  { name: "to_discount_pct", kind: "number", meaning: "discount of the later day, as crawled" },
  text("from_currency", "of the earlier prices"),
  text("to_currency", "of the later prices"),
  { name: "percent", kind: "percent", meaning: "change of the price; null between two currencies" },
  { name: "from_seen", kind: "date", meaning: "day of the earlier price" },
  { name: "to_seen", kind: "date", meaning: "day of the later price" },
  price("difference", "to_selling_price - from_selling_price"),
  text("reason", "why it vanished: gone, not_crawled (its shop or category was not) or unknown"),
];
