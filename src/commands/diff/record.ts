import { type Difference, SIDES, type Side } from "../../folder/diff/join.ts";
import type { ProductFacts } from "../../folder/diff/product-facts.ts";
import { percentOf, roundedPercent } from "../../folder/prices/observation.ts";

/** The JSON text of a member, with the two compared days; undefined for null. */
type Member = (difference: Difference, days: Record<Side, string>) => string | undefined;

const PRICES = ["mrp", "selling_price", "discount_pct", "currency"] as const;

/**
 * The members of a difference in their order, which is also that of the CSV columns. Prices have the digits that the API
 * sent, and are null on a day without the product. Department, category and title are those of the later day that has the
 * product. `percent` is the change of the selling price, with two decimals. `from_seen` and `to_seen` are the days of the
 * prices: with last known prices these may be before `from_date` and `to_date`.
 */
const MEMBERS: Readonly<Record<string, Member>> = {
  change: ({ change }) => JSON.stringify(change),
  retailer: ({ retailer }) => JSON.stringify(retailer),
  sku: ({ sku }) => JSON.stringify(sku),
  department: ({ from, to }) => (to ?? from)?.department,
  category: ({ from, to }) => (to ?? from)?.category,
  title: ({ from, to }) => (to ?? from)?.title,
  from_date: (_, { from }) => JSON.stringify(from),
  to_date: (_, { to }) => JSON.stringify(to),
  ...Object.fromEntries(
    PRICES.flatMap((price) =>
      SIDES.map((side): [string, Member] => [`${side}_${price}`, (difference) => difference[side]?.[price]]),
    ),
  ),
  percent: (difference) => JSON.stringify(roundedPercent(percentMoved(difference))),
  from_seen: ({ from, seen }, days) => from && JSON.stringify((seen ?? days).from),
  to_seen: ({ to, seen }, days) => to && JSON.stringify((seen ?? days).to),
};

export const DIFF_COLUMNS: readonly string[] = Object.keys(MEMBERS);

/** The JSON text of a difference. */
export function diffRecord(difference: Difference, days: Record<Side, string>): string {
  const members = Object.entries(MEMBERS).map(([name, read]) => `"${name}":${read(difference, days) ?? "null"}`);
  return `{${members.join(",")}}`;
}

/** One member of a difference, to sort by. */
export function diffValue(difference: Difference, column: string): unknown {
  return column === "percent"
    ? percentMoved(difference)
    : JSON.parse(MEMBERS[column]?.(difference, { from: "", to: "" }) ?? "null");
}

/** The change of the selling price in percent; undefined if it cannot be computed. */
export function percentMoved({ from, to }: Pick<Difference, "from" | "to">): number | undefined {
  const priceOf = (facts: ProductFacts) => ({ ...facts, selling_price: Number(facts.selling_price) });
  const percent = from && to && percentOf(priceOf(from), priceOf(to));
  return Number.isFinite(percent) ? percent : undefined;
}
