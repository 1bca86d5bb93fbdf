import { copyRow, filledRows, newColumns, type PriceColumns, type Prices } from "../index/day-prices.ts";
import type { Listings } from "../index/listings.ts";
import { type Observation, observationAt, percentOf } from "./observation.ts";

export const MOVER_KINDS = ["drop", "rise", "new_low", "discount"] as const;
export type MoverKind = (typeof MOVER_KINDS)[number];

/** A product with a drop, a rise, a new low or a discount since a day. */
export interface Mover {
  kind: MoverKind;
  /** The last price known up to the day; undefined if none is. */
  before: Observation | undefined;
  /** The newest price, of a later day. */
  now: Observation;
  /** Change of the selling price from `before` to `now`; undefined if the two cannot be compared. */
  percent: number | undefined;
  /** The lowest price before `now` in its currency, on the last day that had it; undefined if there is none. */
  earlierLow: Observation | undefined;
}

/** What is known of each product while the days are read: a row at its number. */
interface Tracks {
  /** The cheapest row of its newest day. */
  now: PriceColumns;
  /** The row with the lowest price of the days before `now` since the currency last changed, of the last day with it. */
  low: PriceColumns;
}

/**
 * Finds the products that moved since a day. A product is one sku of one retailer; of several rows of a product on one
 * day the cheapest counts.
 *
 * - `drop`, `rise`: the newest price is below or above the last one known up to the day.
 * - `new_low`: the newest price is below each earlier one.
 * - `discount`: the newest row has a discount.
 *
 * Memory: 108 bytes a product and the movers.
 *
 * @param since `YYYY-MM-DD`
 * @returns each kind by its size: the largest drop, rise, distance to the earlier low, or discount first
 */
export async function findMovers(prices: Prices, since: string): Promise<Record<MoverKind, Mover[]>> {
  const { listings } = prices;
  const tracks = { now: newColumns(listings.products), low: newColumns(listings.products) };
  let before: PriceColumns | undefined;
  for await (const day of prices.days()) {
    if (day.day > since) {
      before ??= structuredClone(tracks.now);
    }
    for (let row = 0; row < day.rows; row += 1) {
      follow(tracks, listings, day, row);
    }
  }
  const found: Record<MoverKind, Mover[]> = { drop: [], rise: [], new_low: [], discount: [] };
  for (const product of filledRows(tracks.now)) {
    const observed = (rows: PriceColumns | undefined) =>
      rows?.dayNumber[product] ? observationAt(prices, rows, product) : undefined;
    const now = observationAt(prices, tracks.now, product);
    if (now.day > since) {
      classify(now, observed(before), observed(tracks.low), found);
    }
  }
  for (const kind of MOVER_KINDS) {
    found[kind].sort((a, b) => sizeOfMover[kind](b) - sizeOfMover[kind](a) || compareProducts(a.now, b.now));
  }
  return found;
}

/** Stores a row as the newest of its product, unless the same day already has a cheaper one. */
function follow({ now, low }: Tracks, listings: Listings, day: PriceColumns, row: number): void {
  const { product: productOf, currency } = listings;
  const product = productOf[day.listing[row] ?? 0] ?? 0;
  const previous = now.selling_price[product] ?? 0;
  if (now.dayNumber[product] === day.dayNumber[row]) {
    if ((day.selling_price[row] ?? 0) >= previous) {
      return;
    }
  } else if (now.dayNumber[product] !== 0) {
    const isSameCurrency = currency[low.listing[product] ?? 0] === currency[now.listing[product] ?? 0];
    if (low.dayNumber[product] === 0 || !isSameCurrency || previous <= (low.selling_price[product] ?? 0)) {
      copyRow(low, product, now, product);
    }
  }
  copyRow(now, product, day, row);
}

function classify(
  now: Observation,
  before: Observation | undefined,
  low: Observation | undefined,
  found: Record<MoverKind, Mover[]>,
): void {
  const percent = before && percentOf(before, now);
  const earlierLow = low?.currency === now.currency ? low : undefined;
  const isOf: Record<MoverKind, boolean> = {
    drop: percent !== undefined && percent < 0,
    rise: percent !== undefined && percent > 0,
    new_low: earlierLow !== undefined && now.selling_price < earlierLow.selling_price,
    discount: now.discount_pct > 0,
  };
  for (const kind of MOVER_KINDS) {
    if (isOf[kind]) {
      found[kind].push({ kind, before, now, percent, earlierLow });
    }
  }
}

/** The size of a mover, to sort those of its kind. */
const sizeOfMover: Record<MoverKind, (mover: Mover) => number> = {
  drop: ({ percent = 0 }) => -percent,
  rise: ({ percent = 0 }) => percent,
  new_low: ({ now, earlierLow }) => 1 - now.selling_price / (earlierLow?.selling_price ?? now.selling_price),
  discount: ({ now }) => now.discount_pct,
};

function compareProducts(a: Observation, b: Observation): number {
  const [one, other] = [`${a.retailer}\0${a.sku}`, `${b.retailer}\0${b.sku}`];
  return one < other ? -1 : one > other ? 1 : 0;
}
