import type { Rcd } from "../contract/filters.ts";
import type { DayPrices, Prices } from "../mirror/prices/day-prices.ts";
import { type Listings, wantedListings } from "../mirror/prices/listings.ts";
import { type Observation, observationAt, type PriceColumns, percentOf } from "./observation.ts";

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
  /** The lowest price before `now` in its currency, and the last day that had it; undefined if there is none. */
  earlierLow: { selling_price: number; day: string } | undefined;
}

export interface MoverOptions {
  /** `YYYY-MM-DD`. */
  since: string;
  isWanted: (combination: Rcd) => boolean;
}

/** One row for each product; `day` counts from 1, and 0 stands for no row. */
interface Rows extends PriceColumns {
  day: Uint32Array;
}

/** The state of each product while the days are read. */
interface Tracks {
  /** The last row up to the day. */
  before: Rows;
  now: Rows;
  /** The lowest price of the days before `now` since the currency last changed, its currency, and the last day that had it. */
  low: Float64Array;
  /** From 1; 0 stands for none. */
  lowCurrency: Uint32Array;
  lowDay: Uint32Array;
}

/**
 * Finds the products that moved since a day. A product is one sku of one retailer; of several rows of a product on one
 * day the cheapest counts.
 *
 * - `drop`, `rise`: the newest price is below or above the last one known up to the day.
 * - `new_low`: the newest price is below each earlier one.
 * - `discount`: the newest row has a discount.
 *
 * Memory: 80 bytes a product and the movers.
 *
 * @returns each kind by its size: the largest drop, rise, distance to the earlier low, or discount first
 */
export async function findMovers(
  { listings, days }: Prices,
  { since, isWanted }: MoverOptions,
): Promise<Record<MoverKind, Mover[]>> {
  const isWantedListing = wantedListings(listings, isWanted);
  const tracks = newTracks(listings.products);
  const names = [""];
  for await (const prices of days()) {
    const number = names.push(prices.day) - 1;
    for (let row = 0; row < prices.rows; row += 1) {
      const listing = prices.listing[row] ?? 0;
      if (isWantedListing[listing] === 1) {
        follow(tracks, listings, prices, row, { day: number, isBefore: prices.day <= since });
      }
    }
  }
  const found: Record<MoverKind, Mover[]> = { drop: [], rise: [], new_low: [], discount: [] };
  for (let product = 0; product < listings.products; product += 1) {
    if ((names[tracks.now.day[product] ?? 0] ?? "") > since) {
      classify(tracks, product, { listings, names }, found);
    }
  }
  for (const kind of MOVER_KINDS) {
    found[kind].sort((a, b) => sizeOf[kind](b) - sizeOf[kind](a) || compareProducts(a.now, b.now));
  }
  return found;
}

function newTracks(products: number): Tracks {
  const rows = (): Rows => ({
    day: new Uint32Array(products),
    listing: new Uint32Array(products),
    mrp: new Float64Array(products),
    selling_price: new Float64Array(products),
    discount_pct: new Float64Array(products),
  });
  return {
    ...{ before: rows(), now: rows() },
    low: new Float64Array(products),
    lowCurrency: new Uint32Array(products),
    lowDay: new Uint32Array(products),
  };
}

/** Stores a row as the newest of its product, unless the same day already has a cheaper one. */
function follow(
  { before, now, low, lowCurrency, lowDay }: Tracks,
  { product: productOf, currency }: Listings,
  prices: DayPrices,
  row: number,
  { day, isBefore }: { day: number; isBefore: boolean },
): void {
  const product = productOf[prices.listing[row] ?? 0] ?? 0;
  const previous = now.selling_price[product] ?? 0;
  if (now.day[product] === day) {
    if ((prices.selling_price[row] ?? 0) >= previous) {
      return;
    }
  } else if (now.day[product] !== 0) {
    const itsCurrency = (currency[now.listing[product] ?? 0] ?? 0) + 1;
    if (itsCurrency !== lowCurrency[product] || previous <= (low[product] ?? 0)) {
      low[product] = previous;
      lowCurrency[product] = itsCurrency;
      lowDay[product] = now.day[product] ?? 0;
    }
  }
  store(now, product, day, prices, row);
  if (isBefore) {
    store(before, product, day, prices, row);
  }
}

function store(rows: Rows, product: number, day: number, prices: DayPrices, row: number): void {
  rows.day[product] = day;
  rows.listing[product] = prices.listing[row] ?? 0;
  rows.mrp[product] = prices.mrp[row] ?? 0;
  rows.selling_price[product] = prices.selling_price[row] ?? 0;
  rows.discount_pct[product] = prices.discount_pct[row] ?? 0;
}

function classify(
  { before, now, low: lowest, lowCurrency, lowDay }: Tracks,
  product: number,
  { listings, names }: { listings: Listings; names: readonly string[] },
  found: Record<MoverKind, Mover[]>,
): void {
  const observed = (rows: Rows) => {
    const day = rows.day[product] ?? 0;
    return day === 0 ? undefined : observationAt(listings, rows, product, names[day] ?? "");
  };
  const newest = observed(now) as Observation;
  const earlier = observed(before);
  const percent = earlier && percentOf(earlier, newest);
  const currency = (listings.currency[newest.listing] ?? 0) + 1;
  const low = lowCurrency[product] === currency ? (lowest[product] ?? 0) : Infinity;
  const mover = {
    before: earlier,
    now: newest,
    percent,
    earlierLow: low === Infinity ? undefined : { selling_price: low, day: names[lowDay[product] ?? 0] ?? "" },
  };
  const isOf: Record<MoverKind, boolean> = {
    drop: percent !== undefined && percent < 0,
    rise: percent !== undefined && percent > 0,
    new_low: newest.selling_price < low && low !== Infinity,
    discount: newest.discount_pct > 0,
  };
  for (const kind of MOVER_KINDS) {
    if (isOf[kind]) {
      found[kind].push({ kind, ...mover });
    }
  }
}

/** The size of a mover, to sort those of its kind. */
const sizeOf: Record<MoverKind, (mover: Mover) => number> = {
  drop: ({ percent = 0 }) => -percent,
  rise: ({ percent = 0 }) => percent,
  new_low: ({ now, earlierLow }) => 1 - now.selling_price / (earlierLow?.selling_price ?? now.selling_price),
  discount: ({ now }) => now.discount_pct,
};

function compareProducts(a: Observation, b: Observation): number {
  const [one, other] = [`${a.retailer}\0${a.sku}`, `${b.retailer}\0${b.sku}`];
  return one < other ? -1 : one > other ? 1 : 0;
}
