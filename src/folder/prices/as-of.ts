import { addDays } from "../../contract/values/day-arithmetic.ts";
import { groupBy } from "../../contract/values/group-by.ts";
import { type Change, compareProduct, type Difference, SIDES, type Side } from "../diff/join.ts";
import { factsOf, type ProductFacts, packFacts } from "../diff/product-facts.ts";
import { copyRow, filledRows, newColumns, type PriceColumns, type Prices } from "../index/day-prices.ts";
import type { Listings } from "../index/listings.ts";
import { type Observation, observationAt } from "./observation.ts";

export interface AsOfOptions {
  /** The two days that are compared, `YYYY-MM-DD`. */
  from: string;
  to: string;
  /** Days after which a price is no longer known; undefined for never. */
  maxAge: number | undefined;
  /** Whether only products that are known on one of the two days matter; all others then count as unchanged. */
  oneSided?: boolean;
}

/** The rows of each product on its newest day up to one of the compared days. */
interface LastKnown {
  /** The first of them, at the number of the product. */
  first: PriceColumns;
  /** The others by product: few have any. */
  others: Map<number, Observation[]>;
  /** The number of the first day whose prices are not too old. */
  oldest: number;
}

type Known = Readonly<Record<Side, LastKnown>>;

interface DiffSummary {
  /** Products, each counted once; `vanished` is null if no product can vanish, because a last known price never ends. */
  products: Record<Exclude<Change, "vanished"> | "unchanged", number> & { vanished: number | null };
  /** Rows of each retailer on the two days. */
  retailers: ReadonlyMap<string, Record<Side, number>>;
}

/** Differences handed on together. */
const AT_ONCE = 2_000;

/**
 * Compares two days by the last known price of each product up to them: a product that was not crawled on the day itself
 * has the rows of its newest day before. Differences come by retailer, then sku.
 *
 * Memory: about 90 bytes a product, an object for each further row of a product on its newest day, and 2,000 differences.
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
  const { first: newest } = known.to;
  const rcdOf = (product: number) => listings.rcdOf(newest.listing[product] ?? 0);
  const isCompared = options.oneSided ? isOneSided : hasNewer;
  const onEither = filledRows(newest).filter((product) => SIDES.some((side) => dayOf(known[side], product) > 0));
  const ofRetailers = [...groupBy(onEither, (product) => rcdOf(product).retailer)].sort(([a], [b]) => (a < b ? -1 : 1));
  let held: Difference[] = [];
  for (const [retailer, products] of ofRetailers) {
    const rowsOn = (side: Side) => products.reduce((sum, product) => sum + rowsOf(known[side], product), 0);
    retailers.set(retailer, { from: rowsOn("from"), to: rowsOn("to") });
    const newer = products
      .filter((product) => isCompared(known, product) && !hasSamePrice(listings, known, product))
      .map((product) => ({ product, sku: listings.skuOf(newest.listing[product] ?? 0) }))
      .sort((a, b) => (a.sku < b.sku ? -1 : 1));
    summary.unchanged += products.length - newer.length;
    for (const { product, sku } of newer) {
      const [from, to] = [factsOn(prices, known.from, product), factsOn(prices, known.to, product)];
      const { change, differences } = compareProduct({ retailer, sku }, from, to);
      const dayOn = (side: Side) => prices.dayNames[dayOf(known[side], product)] || undefined;
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

async function lastKnown(prices: Prices, { from, to, maxAge }: AsOfOptions): Promise<Known> {
  const { listings, dayNames } = prices;
  const oldestOf = (day: string) => (maxAge === undefined ? "" : addDays(day, -maxAge));
  const numberFrom = (day: string) => dayNames.filter((name) => name < day).length || 1;
  const rows = { first: newColumns(listings.products), others: new Map<number, Observation[]>() };
  let upToFrom: typeof rows | undefined;
  for await (const day of prices.days(oldestOf(from))) {
    if (day.day > from) {
      upToFrom ??= structuredClone(rows);
    }
    for (let row = 0; row < day.rows; row += 1) {
      follow(rows, prices, day, row);
    }
  }
  return {
    from: { ...(upToFrom ?? rows), oldest: numberFrom(oldestOf(from)) },
    to: { ...rows, oldest: numberFrom(oldestOf(to)) },
  };
}

/** Takes a row as one of the newest of its product. */
function follow({ first, others }: Omit<LastKnown, "oldest">, prices: Prices, day: PriceColumns, row: number): void {
  const product = prices.listings.product[day.listing[row] ?? 0] ?? 0;
  if (first.dayNumber[product] !== day.dayNumber[row]) {
    copyRow(first, product, day, row);
    others.delete(product);
    return;
  }
  const known = others.get(product) ?? [];
  known.push(observationAt(prices, day, row));
  others.set(product, known);
}

/** The number of the day on which the price of a product was last known; 0 if it was not, or too long ago. */
function dayOf({ first, oldest }: LastKnown, product: number): number {
  const day = first.dayNumber[product] ?? 0;
  return day < oldest ? 0 : day;
}

function rowsOf(known: LastKnown, product: number): number {
  return dayOf(known, product) === 0 ? 0 : 1 + (known.others.get(product)?.length ?? 0);
}

/** Whether the product was crawled between the two days, or is known on one of them only. */
function hasNewer({ from, to }: Known, product: number): boolean {
  return dayOf(from, product) !== dayOf(to, product);
}

function isOneSided({ from, to }: Known, product: number): boolean {
  return (dayOf(from, product) === 0) !== (dayOf(to, product) === 0);
}

/** Whether a product has one row on each side, with the same price. Most products have, so the full comparison can skip them. */
function hasSamePrice({ currency }: Listings, { from, to }: Known, product: number): boolean {
  const isSame = (name: "mrp" | "selling_price" | "discount_pct") =>
    from.first[name][product] === to.first[name][product];
  const currencyOn = ({ first }: LastKnown) => currency[first.listing[product] ?? 0];
  return (
    rowsOf(from, product) === 1 &&
    rowsOf(to, product) === 1 &&
    currencyOn(from) === currencyOn(to) &&
    isSame("mrp") &&
    isSame("selling_price") &&
    isSame("discount_pct")
  );
}

/** The facts of a product's rows, in the order of `packFacts`; none if its price is not known. */
function factsOn(prices: Prices, known: LastKnown, product: number): ProductFacts[] {
  if (dayOf(known, product) === 0) {
    return [];
  }
  const rows = [observationAt(prices, known.first, product), ...(known.others.get(product) ?? [])];
  return rows
    .map((row) => factsOf({ ...row, title: prices.listings.titleOf(row.listing) }))
    .sort((a, b) => (packFacts(a) < packFacts(b) ? -1 : 1));
}
