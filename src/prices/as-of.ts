import { addDays } from "../contract/values/day-arithmetic.ts";
import type { DiffSummary } from "../diff/compare.ts";
import { compareProduct, type Difference, SIDES, type Side } from "../diff/join.ts";
import { factsOf, type ProductFacts, packFacts } from "../diff/product-facts.ts";
import { copyRow, newColumns, type PriceColumns, type Prices } from "../mirror/prices/day-prices.ts";
import type { Listings } from "../mirror/prices/listings.ts";
import { observationAt } from "./observation.ts";

export interface AsOfOptions {
  /** The two days that are compared, `YYYY-MM-DD`. */
  from: string;
  to: string;
  /** Days after which a price is no longer known; undefined for never. */
  maxAge: number | undefined;
  /** Whether only products that are known on one of the two days matter; all others then count as unchanged. */
  oneSided?: boolean;
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

/** Differences handed on together. */
const AT_ONCE = 2_000;

/**
 * Compares two days by the last known price of each product up to them: a product that was not crawled on the day itself
 * has the rows of its newest day before. Differences come by retailer, then sku.
 *
 * Memory: about 60 bytes a product, 32 bytes for each newer row, and 2,000 differences.
 *
 * @param prices of the days up to `to`
 */
export async function diffAsOf(
  prices: Prices,
  options: AsOfOptions,
  onDifferences: (differences: readonly Difference[]) => Promise<void>,
): Promise<DiffSummary> {
  const { listings } = prices;
  const summary = { changed: 0, appeared: 0, vanished: 0, unchanged: 0 };
  const retailers = new Map<string, Record<Side, number>>();
  const known = await lastKnown(prices, options);
  const isCompared = options.oneSided ? isOneSided : hasNewer;
  const rows = await newerRows(prices, options, known, isCompared);
  let held: Difference[] = [];
  for (const [retailer, products] of productsByRetailer(prices, known)) {
    const rowsOn = (side: Side) => products.reduce((sum, product) => sum + (known[side].rows[product] ?? 0), 0);
    retailers.set(retailer, { from: rowsOn("from"), to: rowsOn("to") });
    const newer = products
      .filter((product) => isCompared(known, product) && !hasSamePrice(prices, known, rows, product))
      .map((product) => ({ product, sku: listings.skuOf(rows.listing[rows.starts[product] ?? 0] ?? 0) }))
      .sort((a, b) => (a.sku < b.sku ? -1 : 1));
    summary.unchanged += products.length - newer.length;
    for (const { product, sku } of newer) {
      const { from, to } = factsOnBoth(product, listings, known, rows);
      const { change, differences } = compareProduct({ retailer, sku }, from, to);
      const dayOn = (side: Side) => known.days[known[side].day[product] ?? 0] || undefined;
      const seen = { from: dayOn("from"), to: dayOn("to") };
      summary[change] += 1;
      held.push(...differences.map((difference) => ({ ...difference, seen })));
      if (held.length >= AT_ONCE) {
        await onDifferences(held);
        held = [];
      }
    }
  }
  await onDifferences(held);
  const vanished = options.maxAge === undefined ? null : summary.vanished;
  return { products: { ...summary, vanished }, retailers };
}

/** Products with rows on both days, and on the one of the two that has fewer products. */
export async function sharedProducts({ listings, days }: Prices): Promise<{ onBoth: number; onFewer: number }> {
  const sets: Set<number>[] = [];
  for await (const { listing, rows } of days()) {
    sets.push(new Set(listing.subarray(0, rows).map((one) => listings.product[one] ?? 0)));
  }
  const [first = new Set<number>(), second = new Set<number>()] = sets;
  const onBoth = [...first].filter((product) => second.has(product)).length;
  return { onBoth, onFewer: Math.min(first.size, second.size) };
}

/** The first day whose prices may be known on one of the compared days. */
function firstKnown({ from, maxAge }: AsOfOptions): string {
  return maxAge === undefined ? "" : addDays(from, -maxAge);
}

async function lastKnown({ listings, days }: Prices, options: AsOfOptions): Promise<Known> {
  const { from, to, maxAge } = options;
  const ends = { from, to };
  const isKnownOn = (side: Side, day: string) =>
    day <= ends[side] && (maxAge === undefined || day >= addDays(ends[side], -maxAge));
  const empty = () => ({ day: new Uint32Array(listings.products), rows: new Uint32Array(listings.products) });
  const names = [""];
  const known = { from: empty(), to: empty(), days: names };
  for await (const { day, rows, listing } of days(firstKnown(options))) {
    const number = names.push(day) - 1;
    for (const side of SIDES.filter((side) => isKnownOn(side, day))) {
      const last = known[side];
      for (let row = 0; row < rows; row += 1) {
        const product = listings.product[listing[row] ?? 0] ?? 0;
        last.rows[product] = last.day[product] === number ? (last.rows[product] ?? 0) + 1 : 1;
        last.day[product] = number;
      }
    }
  }
  return known;
}

/** Whether the product was crawled between the two days, or is known on one of them only. */
function hasNewer({ from, to }: Known, product: number): boolean {
  return from.day[product] !== to.day[product];
}

function isOneSided({ from, to }: Known, product: number): boolean {
  return (from.day[product] === 0) !== (to.day[product] === 0);
}

/** Reads the days once more, for the rows of the products that are compared. */
async function newerRows(
  { listings, days }: Prices,
  options: AsOfOptions,
  known: Known,
  isCompared: typeof hasNewer,
): Promise<NewRows> {
  const starts = new Uint32Array(listings.products + 1);
  for (let product = 0; product < listings.products; product += 1) {
    const own = (known.from.rows[product] ?? 0) + (known.to.rows[product] ?? 0);
    starts[product + 1] = (starts[product] ?? 0) + (isCompared(known, product) ? own : 0);
  }
  const found: NewRows = { starts, ...newColumns(starts.at(-1) ?? 0) };
  // The day of `from` is before that of `to`, so the rows of a product come in their order.
  const next = starts.slice();
  let number = 0;
  for await (const prices of days(firstKnown(options))) {
    number += 1;
    for (let row = 0; row < prices.rows; row += 1) {
      const product = listings.product[prices.listing[row] ?? 0] ?? 0;
      const isLast = known.from.day[product] === number || known.to.day[product] === number;
      if (isLast && isCompared(known, product)) {
        const at = next[product] ?? 0;
        next[product] = at + 1;
        copyRow(found, at, prices, row);
      }
    }
  }
  return found;
}

/** Whether a product has one row on each side, with the same price. Most products have, so the full comparison can skip them. */
function hasSamePrice(
  { listings: { currency } }: Prices,
  { from, to }: Known,
  rows: NewRows,
  product: number,
): boolean {
  const at = rows.starts[product] ?? 0;
  const isSame = (column: Float64Array) => column[at] === column[at + 1];
  const currencyAt = (row: number) => currency[rows.listing[row] ?? 0];
  return (
    from.rows[product] === 1 &&
    to.rows[product] === 1 &&
    currencyAt(at) === currencyAt(at + 1) &&
    [rows.mrp, rows.selling_price, rows.discount_pct].every(isSame)
  );
}

/** The products known on one of the days, by retailer in their order. */
function productsByRetailer({ listings }: Prices, { from, to }: Known): [retailer: string, products: number[]][] {
  const retailers = new Map<string, Set<number>>();
  for (const [listing, product] of listings.product.entries()) {
    if (from.day[product] !== 0 || to.day[product] !== 0) {
      const { retailer = "" } = listings.combinations[listings.combination[listing] ?? 0] ?? {};
      retailers.set(retailer, (retailers.get(retailer) ?? new Set()).add(product));
    }
  }
  return [...retailers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([retailer, products]) => [retailer, [...products]]);
}

/** The facts of a product's rows on both sides, in the order of `packFacts`. */
function factsOnBoth(product: number, listings: Listings, known: Known, rows: NewRows): Record<Side, ProductFacts[]> {
  const facts: Record<Side, ProductFacts[]> = { from: [], to: [] };
  let at = rows.starts[product] ?? 0;
  for (const side of SIDES) {
    for (const end = at + (known[side].rows[product] ?? 0); at < end; at += 1) {
      const observed = observationAt(listings, rows, at, "");
      facts[side].push(factsOf({ ...observed, title: listings.titleOf(observed.listing) }));
    }
    facts[side].sort((a, b) => (packFacts(a) < packFacts(b) ? -1 : 1));
  }
  return facts;
}
