import { addDays } from "../../contract/values/day-arithmetic.ts";
import { groupBy } from "../../contract/values/group-by.ts";
import type { Basket, BasketItem, BasketPrice } from "./basket.ts";
import { quotient, scaled, unscaled } from "./exact.ts";

/** The days of an index, `YYYY-MM-DD`. */
export interface IndexDays {
  start: string;
  end: string;
  /** Days after which a price is no longer known; undefined for never. */
  maxAge: number | undefined;
}

/** The index of a retailer in a currency on a day. Values are exact. */
export interface IndexRow {
  retailer: string;
  crawl_date: string;
  currency: string;
  /** With at most six decimals; null if no product is priced, or the base value is 0. */
  index: number | null;
  /** What the priced products cost; null if there are none. */
  basket_value: number | null;
  /** Products with a price on this day and on the base day. */
  products_priced: number;
  /** Products of the basket for this retailer. */
  products: number;
  base_date: string;
  /** What the priced products cost on the base day. */
  base_value: number | null;
}

/** Decimals of prices and of quantities that count, and of their product. */
const [PRICE_SCALE, QUANTITY_SCALE, VALUE_SCALE] = [6, 3, 9];

/** The price of a product on some day, and what its quantity costs then, in units of 10^-VALUE_SCALE. */
interface Cost {
  day: string;
  price: BasketPrice;
  cost: bigint;
}

/** The first day from `start` on, on which a product of the basket has a price; `start` if none has any. */
export function firstPricedDay({ days }: Basket, { start, end, maxAge }: IndexDays): string {
  const oldest = oldestKnown(start, maxAge);
  const first = days.find(({ day, prices }) => day >= oldest && day <= end && prices.length > 0)?.day ?? start;
  return first > start ? first : start;
}

/**
 * The price index of a basket (Laspeyres), by retailer, currency and day on which the retailer was crawled. It compares
 * the products that have a price on both days, in the currency of the base day.
 */
export function basketIndex(basket: Basket, base: string, { start, end, maxAge }: IndexDays): IndexRow[] {
  const products = groupBy(basket.items, ({ retailer }) => retailer);
  const atBase = [...pricesAt(basket, base, maxAge).values()].map((price) => costOf(price, base));
  const bases = groupBy(atBase, ({ price }) => `${price.item.retailer} ${price.currency}`);
  const known = new Map<BasketItem, Cost>();
  const rows: IndexRow[] = [];
  for (const { day, retailers, prices } of basket.days.filter(({ day }) => day <= end)) {
    for (const price of prices) {
      known.set(price.item, costOf(price, day, known.get(price.item)));
    }
    const oldest = oldestKnown(day, maxAge);
    for (const before of day < start ? [] : bases.values()) {
      const { item, currency } = (before[0] as Cost).price;
      if (retailers.includes(item.retailer)) {
        const { index, basket_value, products_priced, base_value } = sumsOf(before, known, oldest);
        rows.push({
          ...{ retailer: item.retailer, crawl_date: day, currency, index, basket_value, products_priced },
          ...{ products: products.get(item.retailer)?.length ?? 0, base_date: base, base_value },
        });
      }
    }
  }
  return rows.sort((a, b) => compare([a.retailer, a.currency, a.crawl_date], [b.retailer, b.currency, b.crawl_date]));
}

/** @param last of the same product, whose cost is the same if its price is */
function costOf(price: BasketPrice, day: string, last?: Cost): Cost {
  const isSame = last?.price.price === price.price;
  const cost = isSame ? last.cost : scaled(price.item.quantity, QUANTITY_SCALE) * scaled(price.price, PRICE_SCALE);
  return { day, price, cost };
}

/** What those products cost on the base day and now that have a price from the day `oldest` on, in the same currency. */
function sumsOf(atBase: readonly Cost[], known: ReadonlyMap<BasketItem, Cost>, oldest: string) {
  let [before, now, priced] = [0n, 0n, 0];
  for (const { price, cost } of atBase) {
    const last = known.get(price.item);
    if (last !== undefined && last.day >= oldest && last.price.currency === price.currency) {
      before += cost;
      now += last.cost;
      priced += 1;
    }
  }
  const value = (units: bigint) => (priced === 0 ? null : unscaled(units, VALUE_SCALE));
  const index = quotient(100n * now, before) ?? null;
  return { index, basket_value: value(now), products_priced: priced, base_value: value(before) };
}

/** What an index of the basket lacks, by retailer. */
export function basketGaps(basket: Basket, base: string, maxAge: number | undefined) {
  const atBase = pricesAt(basket, base, maxAge);
  return [...groupBy(basket.items, ({ retailer }) => retailer)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([retailer, items]) => ({
      retailer,
      products: items.length,
      /** Those without a price on the base day. */
      lacking: items.filter((item) => !atBase.has(item)).length,
      /** The day from which on all products have a price that ever have one; undefined if none has. */
      complete: items
        .flatMap(({ firstDay }) => firstDay ?? [])
        .sort()
        .at(-1),
    }))
    .filter(({ lacking }) => lacking > 0);
}

/** The first day whose prices are still known on a day. */
function oldestKnown(day: string, maxAge: number | undefined): string {
  return maxAge === undefined ? "" : addDays(day, -maxAge);
}

/** The last known prices of a day. */
function pricesAt({ days }: Basket, at: string, maxAge: number | undefined): Map<BasketItem, BasketPrice> {
  const oldest = oldestKnown(at, maxAge);
  const some = days.filter(({ day }) => day >= oldest && day <= at);
  return new Map(some.flatMap(({ prices }) => prices.map((price) => [price.item, price])));
}

function compare(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((text, index) => text !== b[index]);
  return at < 0 ? 0 : (a[at] ?? "") < (b[at] ?? "") ? -1 : 1;
}
