import type { AnswerRow } from "../../folder/ask/ask.ts";
import type { DatedPrice, PriceCourse } from "../history/product-series.ts";

export const PRODUCT_SECTIONS = ["own_list", "drops", "rises", "new_lows", "new_products", "gone_products"] as const;
export type ProductSection = (typeof PRODUCT_SECTIONS)[number];

export const HEADINGS = {
  own_list: "Own list",
  drops: "Drops",
  rises: "Rises",
  new_lows: "New lows",
  new_products: "New products",
  gone_products: "Gone, or not crawled",
} as const satisfies Record<ProductSection, string>;

/** A product of a section, as people see it. */
export interface ShownProduct {
  retailer: string;
  sku: string;
  title: string;
  url: string | undefined;
  currency: string;
  price: number;
  day: string;
  discount: number;
  /** Change in percent from `before`. */
  percent: number | undefined;
  before: { price: number; day: string } | undefined;
  /** Only of a new low. */
  low: { price: number; day: string } | undefined;
  /** Only of the own list. */
  target: { price: number; isMet: boolean } | undefined;
  /** Only of the own list. */
  note: string;
  /** Why its price is not known: gone, not crawled or unknown. */
  reason: string;
  series: PriceCourse<DatedPrice> | undefined;
}

export function shownProduct(
  section: ProductSection,
  row: AnswerRow,
  series: PriceCourse<DatedPrice> | undefined,
): ShownProduct {
  const number = (name: string) => (typeof row[name] === "number" ? row[name] : undefined);
  const text = (name: string) => String(row[name] ?? "");
  const priceOf = (name: string, day: string) => {
    const price = number(name);
    return price === undefined ? undefined : { price, day: text(day) };
  };
  const isLow = section === "new_lows";
  const target = number("target_price");
  return {
    retailer: text("retailer"),
    sku: text("sku"),
    title: text("title").trim() || text("sku"),
    url: typeof row.url === "string" ? row.url : undefined,
    currency: text("currency"),
    price: Number(row.selling_price),
    day: text(row.date === undefined ? "crawl_date" : "date"),
    discount: Number(row.discount_pct),
    percent: number(isLow ? "below_low_percent" : "percent"),
    before: isLow ? priceOf("low_selling_price", "low_date") : priceOf("before_selling_price", "before_date"),
    low: priceOf("new_low_price", "reached_date"),
    target: target === undefined ? undefined : { price: target, isMet: row.target_met === true && row.known === true },
    note: text("note"),
    reason: row.known === false ? "no longer known" : text("reason").replace("_", " "),
    series,
  };
}
