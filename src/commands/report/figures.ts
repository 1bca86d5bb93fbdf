import { type Condition, isMet } from "../../cli/flags/condition.ts";
import { ConditionHoldsError } from "../../contract/errors.ts";

/** What `--fail-if` compares, and the document has. */
export const FIGURES = {
  drops: "products whose price dropped",
  rises: "products whose price rose",
  new_lows: "products that cost less than ever before",
  new: "products that were never seen before",
  returned: "products that are known again",
  gone: "products that are gone",
  not_crawled: "products that are no longer known because their retailer or category was not crawled",
  unknown: "products that are no longer known, and the rows do not show why",
  outages: "retailers whose crawl failed on the newest day",
  stale: "retailers whose newest row is older than --stale-after on the newest day",
  suspects: "products with a suspect price after the day of --since; that price is left out",
  target_met: "products of --skus at their target price or below it",
  products: "products whose price is known",
  biggest_drop: "change of the biggest drop in percent, such as -40",
  biggest_rise: "change of the biggest rise in percent",
  days_old: "age in days of the newest crawl, of the retailer for which it is oldest",
  discounted_percent: "percent of the products with a discount",
  mean_discount_pct: "mean discount of these in percent",
} as const;

export type Figure = keyof typeof FIGURES;
export const FIGURE_NAMES = Object.keys(FIGURES) as readonly Figure[];

/** Null if there is nothing to compare or to divide by; it then meets no condition. */
export type Figures = Readonly<Record<Figure, number | null>>;

/** @throws ConditionHoldsError naming each condition that the figures meet, with their values */
export function failIfFiguresMatch(conditions: readonly Condition<Figure>[], figures: Figures): void {
  const met = conditions.filter((condition) => isMet(condition, figures));
  if (met.length > 0) {
    const facts = met.map(({ text, comparisons }) => {
      const values = comparisons.map(({ column }) => `${column} is ${figures[column]}`);
      return `${text} holds: ${[...new Set(values)].join(", ")}`;
    });
    throw new ConditionHoldsError(facts.join("; "));
  }
}
