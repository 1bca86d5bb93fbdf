import type { Difference } from "../../diff/join.ts";
import type { ProductFacts } from "../../diff/product-facts.ts";
import { percentOf, roundedPercent } from "../../prices/observation.ts";

const DESCRIBING = ["department", "category", "title"] as const;
const PRICES = ["mrp", "selling_price", "discount_pct", "currency"] as const;

/** Members of a difference in their order, which is also that of the CSV columns. */
export const DIFF_COLUMNS: readonly string[] = [
  "change",
  "retailer",
  "sku",
  ...DESCRIBING,
  "from_date",
  "to_date",
  ...PRICES.flatMap((price) => [`from_${price}`, `to_${price}`]),
  "percent",
  "from_seen",
  "to_seen",
];

/**
 * The JSON text of a difference. Prices have the digits that the API sent, and are null on a day without the product.
 * Department, category and title are those of the later day that has the product. `percent` is the change of the selling
 * price, with two decimals. `from_seen` and `to_seen` are the days of the prices: with last known prices these may be
 * before `from_date` and `to_date`.
 */
export function diffRecord(difference: Difference, days: { from: string; to: string }): string {
  const raw = rawTexts(difference, days);
  return `{${DIFF_COLUMNS.map((name) => `"${name}":${raw[name] ?? "null"}`).join(",")}}`;
}

/** One member of a difference, to sort by. */
export function diffValue(difference: Difference, column: string): unknown {
  return column === "percent"
    ? percentMoved(difference)
    : JSON.parse(rawTexts(difference, { from: "", to: "" })[column] ?? "null");
}

/** The change of the selling price in percent; undefined if it cannot be computed. */
export function percentMoved({ from, to }: Pick<Difference, "from" | "to">): number | undefined {
  const priceOf = (facts: ProductFacts) => ({ ...facts, selling_price: Number(facts.selling_price) });
  const percent = from && to && percentOf(priceOf(from), priceOf(to));
  return Number.isFinite(percent) ? percent : undefined;
}

/** The raw JSON text of each member. */
function rawTexts(difference: Difference, days: { from: string; to: string }): Record<string, string | undefined> {
  const { change, retailer, sku, from, to, seen = days } = difference;
  const shown = to ?? from;
  return {
    change: JSON.stringify(change),
    retailer: JSON.stringify(retailer),
    sku: JSON.stringify(sku),
    from_date: JSON.stringify(days.from),
    to_date: JSON.stringify(days.to),
    department: shown?.department,
    category: shown?.category,
    title: shown?.title,
    from_mrp: from?.mrp,
    to_mrp: to?.mrp,
    from_selling_price: from?.selling_price,
    to_selling_price: to?.selling_price,
    from_discount_pct: from?.discount_pct,
    to_discount_pct: to?.discount_pct,
    from_currency: from?.currency,
    to_currency: to?.currency,
    percent: JSON.stringify(roundedPercent(percentMoved(difference))),
    from_seen: from && JSON.stringify(seen.from),
    to_seen: to && JSON.stringify(seen.to),
  };
}
