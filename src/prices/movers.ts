import type { Rcd } from "../contract/filters.ts";
import { type DayPrices, skuOf } from "../mirror/prices/day-prices.ts";
import { type Observation, observationAt, percentOf } from "./observation.ts";

export const MOVER_KINDS = ["drop", "rise", "new_low", "discount"] as const;
export type MoverKind = (typeof MOVER_KINDS)[number];

/** A product that stands out since a day. */
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

/** The state of a product while the days are read. */
interface Track {
  /** The last row up to the day. */
  before: Place | undefined;
  now: Place;
  /** The lowest price of the days before `now` since the currency last changed, its currency, and the last day that had it. */
  low: number;
  lowCurrency: string;
  lowDay: string;
}

interface Place {
  prices: DayPrices;
  row: number;
}

/**
 * Finds the products that moved since a day. A product is one sku of one retailer; of several rows of a product on one
 * day the cheapest counts.
 *
 * - `drop`, `rise`: the newest price is below or above the last one known up to the day.
 * - `new_low`: the newest price is below each earlier one.
 * - `discount`: the newest row has a discount.
 *
 * Memory: about 100 bytes a product, and the columns of each day that is the last one of some product.
 *
 * @param days oldest first
 * @returns each kind by its size: the largest drop, rise, distance to the earlier low, or discount first
 */
export async function findMovers(
  days: AsyncIterable<DayPrices>,
  { since, isWanted }: MoverOptions,
): Promise<Record<MoverKind, Mover[]>> {
  const retailers = new Map<string, Map<string, Track>>();
  for await (const prices of days) {
    follow(retailers, prices, since, isWanted);
  }
  const found: Record<MoverKind, Mover[]> = { drop: [], rise: [], new_low: [], discount: [] };
  for (const tracks of retailers.values()) {
    for (const track of tracks.values()) {
      if (track.now.prices.day > since) {
        classify(track, found);
      }
    }
  }
  for (const kind of MOVER_KINDS) {
    found[kind].sort((a, b) => sizeOf[kind](b) - sizeOf[kind](a) || compareProducts(a.now, b.now));
  }
  return found;
}

function follow(
  retailers: Map<string, Map<string, Track>>,
  prices: DayPrices,
  since: string,
  isWanted: (combination: Rcd) => boolean,
): void {
  const tracksOf = prices.combinations.map((combination) =>
    isWanted(combination) ? entryOf(retailers, combination.retailer, () => new Map<string, Track>()) : undefined,
  );
  const isBefore = prices.day <= since;
  for (let row = 0; row < prices.rows; row += 1) {
    const tracks = tracksOf[prices.combination[row] ?? 0];
    if (tracks === undefined) {
      continue;
    }
    const sku = skuOf(prices, row);
    const track = tracks.get(sku);
    const here = { prices, row };
    if (track === undefined) {
      tracks.set(sku, { before: isBefore ? here : undefined, now: here, low: Infinity, lowCurrency: "", lowDay: "" });
    } else if (advance(track, here) && isBefore) {
      track.before = here;
    }
  }
}

/** Stores a row as the newest of its product; false if the same day already has a cheaper row. */
function advance(track: Track, here: Place): boolean {
  const { now } = track;
  const price = priceAt(here);
  const previous = priceAt(now);
  if (here.prices === now.prices) {
    if (price >= previous) {
      return false;
    }
  } else if (currencyAt(now) !== track.lowCurrency) {
    track.low = previous;
    track.lowCurrency = currencyAt(now);
    track.lowDay = now.prices.day;
  } else if (previous <= track.low) {
    track.low = previous;
    track.lowDay = now.prices.day;
  }
  track.now = here;
  return true;
}

function classify({ before, now, low: lowest, lowCurrency, lowDay }: Track, found: Record<MoverKind, Mover[]>): void {
  const newest = observationAt(now.prices, now.row);
  const earlier = before && observationAt(before.prices, before.row);
  const percent = earlier && percentOf(earlier, newest);
  const low = lowCurrency === newest.currency ? lowest : Infinity;
  const mover = {
    before: earlier,
    now: newest,
    percent,
    earlierLow: low === Infinity ? undefined : { selling_price: low, day: lowDay },
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

function priceAt({ prices, row }: Place): number {
  return prices.selling_price[row] ?? Number.NaN;
}

function currencyAt({ prices, row }: Place): string {
  return prices.currencies[prices.currency[row] ?? 0] ?? "";
}

function entryOf<V>(map: Map<string, V>, key: string, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) {
    return known;
  }
  const created = create();
  map.set(key, created);
  return created;
}
