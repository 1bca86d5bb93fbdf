import { addDays } from "../contract/values/day-arithmetic.ts";
import { groupBy } from "../contract/values/group-by.ts";
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

/** Products of a retailer that an index lacks. */
export interface BasketGap {
  retailer: string;
  products: number;
  /** Those without a price on the base day. */
  lacking: number;
  /** The day from which on all products have a price that ever have one; undefined if none has. */
  complete: string | undefined;
}

/** Decimals of prices and of quantities that count, and of their product. */
const [PRICE_SCALE, QUANTITY_SCALE, VALUE_SCALE] = [6, 3, 9];

/** What the priced products of a retailer cost in a currency: in units of 10^-VALUE_SCALE, on the base day and now. */
interface Value {
  retailer: string;
  currency: string;
  before: bigint;
  now: bigint;
  priced: number;
}

/** The first day from `start` on, on which a product of the basket has a price; `start` if none has any. */
export function firstPricedDay({ days }: Basket, { start, end, maxAge }: IndexDays): string {
  const oldest = maxAge === undefined ? "" : addDays(start, -maxAge);
  const first = days.find(({ day, prices }) => day >= oldest && day <= end && prices.length > 0)?.day ?? start;
  return first > start ? first : start;
}

/**
 * The price index of a basket (Laspeyres), by retailer, currency and day on which the retailer was crawled. It compares
 * the products that have a price on both days, in the currency of the base day.
 */
export function basketIndex(basket: Basket, base: string, { start, end, maxAge }: IndexDays): IndexRow[] {
  const products = groupBy(basket.items, ({ retailer }) => retailer);
  const rows: IndexRow[] = [];
  const { values, follow, forget } = runningValues(pricesAt(basket, base, maxAge));
  let oldest = 0;
  for (const { day, retailers, prices } of basket.days.filter(({ day }) => day <= end)) {
    follow(day, prices);
    const first = maxAge === undefined ? "" : addDays(day, -maxAge);
    for (; (basket.days[oldest]?.day ?? day) < first; oldest += 1) {
      forget(first, basket.days[oldest]?.prices ?? []);
    }
    const own = day < start ? [] : values.filter(({ retailer }) => retailers.includes(retailer));
    rows.push(...own.map((value) => indexRow(value, day, base, products.get(value.retailer)?.length ?? 0)));
  }
  return rows.sort((a, b) => compare([a.retailer, a.currency, a.crawl_date], [b.retailer, b.currency, b.crawl_date]));
}

/** What the products cost while the days go by: those that have a price on the base day. */
function runningValues(atBase: ReadonlyMap<BasketItem, BasketPrice>) {
  const values = new Map<string, Value>();
  for (const { item, currency } of atBase.values()) {
    const value = { retailer: item.retailer, currency, before: 0n, now: 0n, priced: 0 };
    values.set(`${item.retailer} ${currency}`, value);
  }
  const known = new Map<BasketItem, { seen: string; price: BasketPrice }>();
  const count = (price: BasketPrice, sign: 1n | -1n) => {
    const before = atBase.get(price.item);
    const value = values.get(`${price.item.retailer} ${price.currency}`);
    if (value !== undefined && before?.currency === price.currency) {
      value.before += sign * worth(before);
      value.now += sign * worth(price);
      value.priced += Number(sign);
    }
  };
  return {
    values: [...values.values()],
    /** Takes the prices of the next day. */
    follow: (day: string, prices: readonly BasketPrice[]) => {
      for (const price of prices) {
        const last = known.get(price.item)?.price;
        if (last?.price !== price.price || last.currency !== price.currency) {
          last && count(last, -1n);
          count(price, 1n);
        }
        known.set(price.item, { seen: day, price });
      }
    },
    /** Takes back the prices of a day before `first`, of products that were not seen from then on. */
    forget: (first: string, prices: readonly BasketPrice[]) => {
      for (const { item } of prices) {
        const last = known.get(item);
        if (last !== undefined && last.seen < first) {
          count(last.price, -1n);
          known.delete(item);
        }
      }
    },
  };
}

/** What an index of the basket lacks, by retailer. */
export function basketGaps(basket: Basket, base: string, maxAge: number | undefined): BasketGap[] {
  const atBase = pricesAt(basket, base, maxAge);
  return [...groupBy(basket.items, ({ retailer }) => retailer)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([retailer, items]) => {
      const days = items.flatMap(({ firstDay }) => firstDay ?? []);
      const lacking = items.filter((item) => !atBase.has(item)).length;
      return lacking === 0 ? [] : [{ retailer, products: items.length, lacking, complete: days.sort().at(-1) }];
    });
}

/** The last known prices of a day. */
function pricesAt({ days }: Basket, at: string, maxAge: number | undefined): Map<BasketItem, BasketPrice> {
  const oldest = maxAge === undefined ? "" : addDays(at, -maxAge);
  const some = days.filter(({ day }) => day >= oldest && day <= at);
  return new Map(some.flatMap(({ prices }) => prices.map((price) => [price.item, price])));
}

function worth({ item, price }: BasketPrice): bigint {
  return scaled(item.quantity, QUANTITY_SCALE) * scaled(price, PRICE_SCALE);
}

function indexRow({ retailer, currency, before, now, priced }: Value, day: string, base: string, products: number) {
  const value = (units: bigint) => (priced === 0 ? null : unscaled(units, VALUE_SCALE));
  return {
    ...{ retailer, crawl_date: day, currency, index: quotient(100n * now, before) ?? null },
    ...{ basket_value: value(now), products_priced: priced, products, base_date: base, base_value: value(before) },
  };
}

function compare(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((text, index) => text !== b[index]);
  return at < 0 ? 0 : (a[at] ?? "") < (b[at] ?? "") ? -1 : 1;
}
