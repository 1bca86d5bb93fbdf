import { firstOnes } from "../../cli/order.ts";
import type { Difference } from "../../diff/join.ts";
import type { Prices } from "../../mirror/prices/day-prices.ts";
import { type AsOfOptions, diffAsOf } from "../../prices/as-of.ts";
import type { Mover } from "../../prices/movers.ts";
import { type Observation, percentOf } from "../../prices/observation.ts";

/** A product of a list, with its newest price. */
export interface ListedProduct {
  retailer: string;
  sku: string;
  title: string;
  currency: string;
  selling_price: number;
  discount_pct: number;
  /** The day of that price. */
  day: string;
  /** What it is compared with: the price before, or the lowest one before a new low. */
  before: Pick<Observation, "selling_price" | "day"> | undefined;
  /** Change from there in percent. */
  percent: number | undefined;
}

/** One text for a product, whatever its retailer and sku are. */
export function productKey({ retailer, sku }: { retailer: string; sku: string }): string {
  return JSON.stringify([retailer, sku]);
}

export function moved(
  { kind, now, before, earlierLow, percent }: Mover,
  titleOf: (listing: number) => string,
): ListedProduct {
  const { retailer, sku, currency, selling_price, discount_pct, day } = now;
  const isLow = kind === "new_low";
  return {
    retailer,
    sku,
    title: titleOf(now.listing),
    currency,
    selling_price,
    discount_pct,
    day,
    before: isLow ? earlierLow : before,
    percent: isLow ? earlierLow && percentOf(earlierLow, now) : percent,
  };
}

/** The order of those that appeared: the highest discount first; of those that vanished: the last seen first. */
const ORDERS = {
  appeared: (a: ListedProduct, b: ListedProduct) => b.discount_pct - a.discount_pct,
  vanished: (a: ListedProduct, b: ListedProduct) => (a.day === b.day ? 0 : a.day > b.day ? -1 : 1),
};

/**
 * The first products that were not known on `from`, or that were known on it and, not seen for `maxAge` days, no longer on
 * `to`; and the number of all of them.
 */
export async function firstDifferences(
  prices: Prices,
  options: Omit<AsOfOptions, "oneSided">,
  change: keyof typeof ORDERS,
  limit: number,
) {
  const { add, selected } = firstOnes<ListedProduct>(limit, (products) => products.toSorted(ORDERS[change]));
  let last = "";
  const summary = await diffAsOf(prices, { ...options, oneSided: true }, async (differences) => {
    for (const difference of differences.filter((one) => one.change === change)) {
      // A product that has several prices on a day has a difference for each; the cheapest comes first.
      if (productKey(difference) !== last) {
        last = productKey(difference);
        add(listed(difference));
      }
    }
  });
  return { products: selected(), all: summary.products[change] ?? 0 };
}

function listed({ retailer, sku, from, to, seen }: Difference): ListedProduct[] {
  const facts = to ?? from;
  if (facts === undefined) {
    return [];
  }
  const read = <T>(name: keyof typeof facts) => JSON.parse(facts[name]) as T;
  return [
    {
      retailer,
      sku,
      title: read<string>("title"),
      currency: read<string>("currency"),
      selling_price: read<number>("selling_price"),
      discount_pct: read<number>("discount_pct"),
      day: (to === undefined ? seen?.from : seen?.to) ?? "",
      before: undefined,
      percent: undefined,
    },
  ];
}
