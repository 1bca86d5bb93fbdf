import type { Rcd } from "../contract/filters.ts";
import { addDays } from "../contract/values/day-arithmetic.ts";
import type { DiffSummary } from "../diff/compare.ts";
import type { DayFacts } from "../diff/day-rows.ts";
import { type Difference, joinDays, SIDES, type Side } from "../diff/join.ts";
import { packFacts, packProduct } from "../diff/product-facts.ts";
import type { Prices } from "../mirror/prices/day-prices.ts";
import { wantedListings } from "../mirror/prices/listings.ts";
import { observationAt, type PriceColumns } from "./observation.ts";

export interface AsOfOptions {
  /** The two days that are compared, `YYYY-MM-DD`. */
  from: string;
  to: string;
  /** Days after which a price is no longer known; undefined for never. */
  maxAge: number | undefined;
  isWanted: (combination: Rcd) => boolean;
}

/** For each product its newest day up to one of the compared days, and its rows on that day. */
interface LastKnown {
  /** From 1; 0 stands for no day. */
  day: Uint32Array;
  rows: Uint32Array;
}

/** The products of a folder, up to both days. */
interface Known extends Record<Side, LastKnown> {
  /** The days by number; the first, of number 0, stands for none. */
  days: readonly string[];
}

/** The rows of all products that were crawled between the two days. */
interface NewRows extends PriceColumns {
  /** For each product where its rows begin: those of `from`, then those of `to`. */
  starts: Uint32Array;
}

/** Products whose differences are computed together. */
const AT_ONCE = 2_000;

/**
 * Compares two days by the last known price of each product up to them: a product that was not crawled on the day itself
 * has the rows of its newest day before. Differences come by retailer, then sku.
 *
 * Memory: about 60 bytes a product, 28 bytes for each newer row, and the differences of 2,000 products.
 *
 * @param prices of the days up to `to`
 */
export async function diffAsOf(
  prices: Prices,
  options: AsOfOptions,
  onDifferences: (differences: readonly Difference[]) => Promise<void>,
): Promise<DiffSummary> {
  const summary = { changed: 0, appeared: 0, vanished: 0, unchanged: 0 };
  const retailers = new Map<string, Record<Side, number>>();
  const isWantedListing = wantedListings(prices.listings, options.isWanted);
  const known = await lastKnown(prices, isWantedListing, options);
  const rows = await newRows(prices, isWantedListing, known);
  for (const [retailer, products] of byRetailer(prices, known)) {
    const rowsOf = (side: Side) => products.reduce((sum, product) => sum + (known[side].rows[product] ?? 0), 0);
    retailers.set(retailer, { from: rowsOf("from"), to: rowsOf("to") });
    const newer = products
      .filter((product) => hasNewer(known, product) && !isSamePrice(prices, known, rows, product))
      .map((product) => ({ product, sku: prices.listings.skuOf(rows.listing[rows.starts[product] ?? 0] ?? 0) }))
      .sort((a, b) => (a.sku < b.sku ? -1 : 1));
    summary.unchanged += products.length - newer.length;
    for (let start = 0; start < newer.length; start += AT_ONCE) {
      const { days, seen } = listingsOf(retailer, newer.slice(start, start + AT_ONCE), prices, known, rows);
      const held: Difference[] = [];
      for (const { change, differences } of joinDays(days.from, days.to)) {
        summary[change] += 1;
        held.push(...differences.map((difference) => ({ ...difference, seen: seen.get(difference.sku) })));
      }
      await onDifferences(held);
    }
  }
  return { products: summary, retailers };
}

/** Products with rows on both days, and on the one of the two that has fewer products. */
export async function sharedProducts(
  { listings, days }: Prices,
  isWanted: (combination: Rcd) => boolean,
): Promise<{ onBoth: number; onFewer: number }> {
  const isWantedListing = wantedListings(listings, isWanted);
  const sets: Set<number>[] = [];
  for await (const { listing } of days()) {
    sets.push(new Set(listing.filter((one) => isWantedListing[one] === 1).map((one) => listings.product[one] ?? 0)));
  }
  const [first = new Set<number>(), second = new Set<number>()] = sets;
  const onBoth = [...first].filter((product) => second.has(product)).length;
  return { onBoth, onFewer: Math.min(first.size, second.size) };
}

async function lastKnown(
  { listings, days }: Prices,
  isWantedListing: Uint8Array,
  { from, to, maxAge }: AsOfOptions,
): Promise<Known> {
  const ends = { from, to };
  const isKnownOn = (side: Side, day: string) =>
    day <= ends[side] && (maxAge === undefined || day >= addDays(ends[side], -maxAge));
  const empty = () => ({ day: new Uint32Array(listings.products), rows: new Uint32Array(listings.products) });
  const names = [""];
  const known = { from: empty(), to: empty(), days: names };
  for await (const { day, rows, listing: column } of days()) {
    const number = names.push(day) - 1;
    for (const side of SIDES.filter((side) => isKnownOn(side, day))) {
      const last = known[side];
      for (let row = 0; row < rows; row += 1) {
        const listing = column[row] ?? 0;
        if (isWantedListing[listing] === 1) {
          const product = listings.product[listing] ?? 0;
          last.rows[product] = last.day[product] === number ? (last.rows[product] ?? 0) + 1 : 1;
          last.day[product] = number;
        }
      }
    }
  }
  return known;
}

/** Whether the product was crawled between the two days, or is known on one of them only. */
function hasNewer({ from, to }: Known, product: number): boolean {
  return from.day[product] !== to.day[product];
}

function startsOf(known: Known, products: number): Uint32Array {
  const starts = new Uint32Array(products + 1);
  for (let product = 0; product < products; product += 1) {
    const own = (known.from.rows[product] ?? 0) + (known.to.rows[product] ?? 0);
    starts[product + 1] = (starts[product] ?? 0) + (hasNewer(known, product) ? own : 0);
  }
  return starts;
}

/** Reads the days once more, for the rows of the products that have newer ones. */
async function newRows({ listings, days }: Prices, isWantedListing: Uint8Array, known: Known): Promise<NewRows> {
  const starts = startsOf(known, listings.products);
  const all = starts.at(-1) ?? 0;
  const [mrp, selling_price, discount_pct] = [new Float64Array(all), new Float64Array(all), new Float64Array(all)];
  const found: NewRows = { starts, listing: new Uint32Array(all), mrp, selling_price, discount_pct };
  // The day of `from` is before that of `to`, so the rows of a product come in their order.
  const next = starts.slice();
  let number = 0;
  for await (const prices of days()) {
    number += 1;
    for (let row = 0; row < prices.rows; row += 1) {
      const listing = prices.listing[row] ?? 0;
      const product = listings.product[listing] ?? 0;
      const isLast = known.from.day[product] === number || known.to.day[product] === number;
      if (isLast && isWantedListing[listing] === 1 && hasNewer(known, product)) {
        const at = next[product] ?? 0;
        next[product] = at + 1;
        found.listing[at] = listing;
        mrp[at] = prices.mrp[row] ?? 0;
        selling_price[at] = prices.selling_price[row] ?? 0;
        discount_pct[at] = prices.discount_pct[row] ?? 0;
      }
    }
  }
  return found;
}

/** Whether a product has one row on each side, with the same price. Most products have, so the full comparison can skip them. */
function isSamePrice({ listings: { currency } }: Prices, { from, to }: Known, rows: NewRows, product: number): boolean {
  const at = rows.starts[product] ?? 0;
  const isSame = ({ [at]: before, [at + 1]: after }: Float64Array) => before === after;
  const currencyAt = (row: number) => currency[rows.listing[row] ?? 0];
  return (
    from.rows[product] === 1 &&
    to.rows[product] === 1 &&
    currencyAt(at) === currencyAt(at + 1) &&
    [rows.mrp, rows.selling_price, rows.discount_pct].every(isSame)
  );
}

/** The products known on one of the days, by retailer in their order. */
function byRetailer({ listings }: Prices, { from, to }: Known): [retailer: string, products: number[]][] {
  const retailers = new Map<string, Set<number>>();
  for (const [listing, product] of listings.product.entries()) {
    if (from.day[product] !== 0 || to.day[product] !== 0) {
      const { retailer = "" } = listings.combinations[listings.combination[listing] ?? 0] ?? {};
      retailers.set(retailer, (retailers.get(retailer) ?? new Set()).add(product));
    }
  }
  return [...retailers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([retailer, products]) => [retailer, [...products]]);
}

/** The listings of some products on both sides, and by sku the days on which each side was seen. */
function listingsOf(
  retailer: string,
  products: readonly { product: number; sku: string }[],
  { listings }: Prices,
  known: Known,
  rows: NewRows,
): { days: Record<Side, DayFacts>; seen: Map<string, Record<Side, string | undefined>> } {
  const days = { from: new Map<string, string[]>(), to: new Map<string, string[]>() };
  const seen = new Map<string, Record<Side, string | undefined>>();
  for (const { product, sku } of products) {
    let at = rows.starts[product] ?? 0;
    const dayOf = (side: Side) => known.days[known[side].day[product] ?? 0] || undefined;
    seen.set(sku, { from: dayOf("from"), to: dayOf("to") });
    for (const side of SIDES) {
      const end = at + (known[side].rows[product] ?? 0);
      const own: string[] = [];
      for (; at < end; at += 1) {
        const observed = observationAt(listings, rows, at, "");
        own.push(packFacts({ ...observed, title: listings.titleOf(observed.listing) }));
      }
      if (own.length > 0) {
        days[side].set(packProduct(retailer, sku), own);
      }
    }
  }
  return { days, seen };
}
