import type { Condition } from "../../cli/flags/condition.ts";
import { ConditionHoldsError } from "../../contract/errors.ts";
import { withDecimals } from "../../folder/prices/exact.ts";

/** What `--fail-if` may be about, and what each is. */
export const FIGURES = {
  drops: "products whose price dropped",
  rises: "products whose price rose",
  new_lows: "products that cost less than ever",
  new: "products that are new",
  gone: "products that are gone",
  biggest_drop: "change of the biggest drop in percent, such as -40",
  biggest_rise: "change of the biggest rise in percent",
  stale: "retailers that are stale",
  days_old: "days since the newest crawl of the stalest retailer",
  products: "products in the folder",
  discounted_percent: "percent of them with a discount",
  mean_discount_pct: "mean discount of these in percent",
} as const;

export type Figure = keyof typeof FIGURES;
export const FIGURE_NAMES = Object.keys(FIGURES) as readonly Figure[];

/** A figure is missing if there is nothing to compare or to divide by; it then meets no condition. */
export type Figures = Readonly<Partial<Record<Figure, number | undefined>>>;

/** @throws ConditionHoldsError naming each condition that the figures meet, with their values */
export function refuseFigures(conditions: readonly Condition<Figure>[], figures: Figures): void {
  const held = conditions.filter((condition) => condition.holds(figures));
  if (held.length > 0) {
    const facts = held.map(({ text, fields }) => {
      const values = fields.map((field) => `${field} is ${figures[field]}`);
      return `${text} holds: ${[...new Set(values)].join(", ")}`;
    });
    throw new ConditionHoldsError(facts.join("; "));
  }
}

/** A percentage of discounts with one decimal; empty without one. */
export function shareText(percent: number | undefined): string {
  return percent === undefined ? "" : `${withDecimals(percent, 1)} %`;
}
