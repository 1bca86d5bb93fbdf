import type { Rcd } from "../contract/filters.ts";
import { type DayPrices, rowsOfSku } from "../mirror/prices/day-prices.ts";
import { type Observation, observationAt, percentOf } from "./observation.ts";

/** A product: one sku of one retailer. */
export interface ProductName {
  retailer: string;
  sku: string;
}

/** One day of a product's prices. */
export interface SeriesPoint extends Observation {
  /** Change from the day before in the series, in percent; undefined for the first day, and if the two cannot be compared. */
  percent: number | undefined;
}

/** A product's prices over its days. */
export interface Series extends ProductName {
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
 * @param days oldest first
 * @returns the series in the order of `wanted`, then by retailer
 */
export async function collectSeries(
  days: AsyncIterable<DayPrices>,
  wanted: readonly { retailer?: string | undefined; sku: string }[],
  isWanted: (combination: Rcd) => boolean,
): Promise<Series[]> {
  const skus = [...new Set(wanted.map(({ sku }) => sku))];
  const products = new Map<string, Observation[]>();
  for await (const prices of days) {
    for (const sku of skus) {
      for (const row of rowsOfSku(prices, sku)) {
        const observation = observationAt(prices, row);
        if (isWanted(observation)) {
          add(products, observation);
        }
      }
    }
  }
  const found = [...products.values()].map(seriesOf).sort((a, b) => (a.retailer < b.retailer ? -1 : 1));
  const chosen = wanted.flatMap(({ retailer, sku }) =>
    found.filter((series) => series.sku === sku && (retailer === undefined || series.retailer === retailer)),
  );
  return [...new Set(chosen)];
}

function add(products: Map<string, Observation[]>, observation: Observation): void {
  const key = `${observation.retailer}\0${observation.sku}`;
  const known = products.get(key);
  const last = known?.at(-1);
  if (known === undefined) {
    products.set(key, [observation]);
  } else if (last?.day !== observation.day) {
    known.push(observation);
  } else if (observation.selling_price < last.selling_price) {
    known[known.length - 1] = observation;
  }
}

function seriesOf(observations: readonly Observation[]): Series {
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
    ...{ retailer: last.retailer, sku: last.sku, points, last },
    lowest: extreme((a, b) => a < b),
    highest: extreme((a, b) => a > b),
    changes: points.filter((point, index) => index > 0 && !samePrice(point, points[index - 1] as SeriesPoint)).length,
    isNewLow: earlier.length > 0 && earlier.every(({ selling_price }) => last.selling_price < selling_price),
  };
}

export function samePrice(a: Observation, b: Observation): boolean {
  return a.selling_price === b.selling_price && a.currency === b.currency;
}
