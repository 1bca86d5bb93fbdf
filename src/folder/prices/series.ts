import { groupBy } from "../../contract/values/group-by.ts";
import type { Prices } from "../index/day-prices.ts";
import type { Listings } from "../index/listings.ts";
import { type Observation, observationAt, percentOf } from "./observation.ts";

/** One day of a product's prices. */
export interface SeriesPoint extends Observation {
  /** Change from the day before in the series, in percent; undefined for the first day, and if the two cannot be compared. */
  percent: number | undefined;
}

/** The prices of a product, one sku of one retailer, over its days. */
export interface Series {
  retailer: string;
  sku: string;
  /** The title on the last day. */
  title: string;
  /** Oldest first, one a day. */
  points: readonly SeriesPoint[];
  lowest: SeriesPoint;
  highest: SeriesPoint;
  last: SeriesPoint;
  /** Days on which the selling price or the currency changed. */
  changes: number;
  /** Whether the last price is below each earlier one. */
  isNewLow: boolean;
}

/**
 * Collects the prices of products. A sku alone means the product of each retailer that has it (contract section 2.1). Of
 * several rows of a product on one day the cheapest counts. The lowest and highest are in the currency of the last
 * price; each is the newest day with that price.
 *
 * @returns the series in the order of `wanted`, then by retailer
 */
export async function collectSeries(
  prices: Prices,
  wanted: readonly { retailer?: string | undefined; sku: string }[],
): Promise<Series[]> {
  const { listings } = prices;
  const isChosen = listingsOfSkus(listings, new Set(wanted.map(({ sku }) => sku)));
  const products = new Map<number, Observation[]>();
  for await (const day of prices.days()) {
    for (let row = 0; row < day.rows; row += 1) {
      const listing = day.listing[row] ?? 0;
      if (isChosen[listing] === 1) {
        add(products, listings.product[listing] ?? 0, observationAt(prices, day, row));
      }
    }
  }
  const series = [...products.values()].map((observations) => seriesOf(observations, listings.titleOf));
  const byRetailer = series.sort((a, b) => (a.retailer < b.retailer ? -1 : 1));
  const found = groupBy(byRetailer, ({ sku }) => sku);
  const chosen = wanted.flatMap(({ retailer, sku }) =>
    (found.get(sku) ?? []).filter((series) => retailer === undefined || series.retailer === retailer),
  );
  return [...new Set(chosen)];
}

/** Skus from which on reading the sku of each listing is faster than a search for each of them. */
const MANY_SKUS = 100;

/** Marks the listings of skus with 1. */
function listingsOfSkus(listings: Listings, skus: ReadonlySet<string>): Uint8Array {
  const marked = new Uint8Array(listings.listings);
  if (skus.size >= MANY_SKUS) {
    return marked.map((_, listing) => (skus.has(listings.skuOf(listing)) ? 1 : 0));
  }
  for (const listing of [...skus].flatMap(listings.withSku)) {
    marked[listing] = 1;
  }
  return marked;
}

function add(products: Map<number, Observation[]>, product: number, observation: Observation): void {
  const known = products.get(product);
  const last = known?.at(-1);
  if (known === undefined) {
    products.set(product, [observation]);
  } else if (last?.day !== observation.day) {
    known.push(observation);
  } else if (observation.selling_price < last.selling_price) {
    known[known.length - 1] = observation;
  }
}

function seriesOf(observations: readonly Observation[], titleOf: (listing: number) => string): Series {
  const points = observations.map((observation, index): SeriesPoint => {
    const before = observations[index - 1];
    return { ...observation, percent: before && percentOf(before, observation) };
  });
  const last = points.at(-1) as SeriesPoint;
  const comparable = points.filter(({ currency }) => currency === last.currency);
  const extreme = (isBetter: (a: number, b: number) => boolean) =>
    comparable.reduce((best, point) => (isBetter(best.selling_price, point.selling_price) ? best : point));
  const earlier = comparable.slice(0, -1);
  return {
    ...{ retailer: last.retailer, sku: last.sku, title: titleOf(last.listing), points, last },
    lowest: extreme((a, b) => a < b),
    highest: extreme((a, b) => a > b),
    changes: points.filter((point, index) => index > 0 && !samePrice(point, points[index - 1] as SeriesPoint)).length,
    isNewLow: earlier.length > 0 && earlier.every(({ selling_price }) => last.selling_price < selling_price),
  };
}

export function samePrice(a: Observation, b: Observation): boolean {
  return a.selling_price === b.selling_price && a.currency === b.currency;
}
