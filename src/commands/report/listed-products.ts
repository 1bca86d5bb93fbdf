import { keepTop } from "../../cli/order.ts";
import type { Difference } from "../../folder/diff/join.ts";
import type { Prices } from "../../folder/index/day-prices.ts";
import { diffAsOf } from "../../folder/prices/as-of.ts";
import { findMovers, type Mover } from "../../folder/prices/movers.ts";
import { type Observation, percentOf } from "../../folder/prices/observation.ts";
import type { ReportOptions } from "./options.ts";

/** Products of one kind. */
export interface ProductList {
  kind: "drops" | "rises" | "new_lows" | "new" | "gone";
  /** The first of them. */
  products: readonly ListedProduct[];
  /** Number of all of them. */
  all: number;
}

/** A product of a list, with its newest price. */
interface ListedProduct
  extends Pick<Observation, "retailer" | "sku" | "currency" | "selling_price" | "discount_pct" | "day"> {
  title: string;
  /** What it is compared with: the price before, or the lowest one before a new low. */
  before: Pick<Observation, "selling_price" | "day"> | undefined;
  /** Change from there in percent. */
  percent: number | undefined;
}

/** One text for a product, whatever its retailer and sku are. */
export function productKey({ retailer, sku }: { retailer: string; sku: string }): string {
  return JSON.stringify([retailer, sku]);
}

/** The products that moved, are new or are gone, by the prices known up to two days. */
export async function productLists(
  prices: Prices,
  days: { from: string; to: string },
  { limit, maxAge }: ReportOptions,
): Promise<ProductList[]> {
  const movers = await findMovers(prices, days.from);
  const ofMovers = (kind: ProductList["kind"], found: readonly Mover[]): ProductList => ({
    kind,
    products: found.slice(0, limit).map((mover) => moved(mover, prices.listings.titleOf(mover.now.listing))),
    all: found.length,
  });
  return [
    ofMovers("drops", movers.drop),
    ofMovers("rises", movers.rise),
    ofMovers("new_lows", movers.new_low),
    { kind: "new", ...(await firstDifferences(prices, { ...days, maxAge: undefined }, "appeared", limit)) },
    { kind: "gone", ...(await firstDifferences(prices, { ...days, maxAge }, "vanished", limit)) },
  ];
}

function moved({ kind, now, before, earlierLow, percent }: Mover, title: string): ListedProduct {
  return kind === "new_low"
    ? { ...now, title, before: earlierLow, percent: earlierLow && percentOf(earlierLow, now) }
    : { ...now, title, before, percent };
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
async function firstDifferences(
  prices: Prices,
  days: { from: string; to: string; maxAge: number | undefined },
  change: keyof typeof ORDERS,
  limit: number,
) {
  const { add, selected } = keepTop<ListedProduct>(limit, (products) => products.toSorted(ORDERS[change]));
  let last = "";
  const summary = await diffAsOf(prices, { ...days, oneSided: true }, async (differences) => {
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
