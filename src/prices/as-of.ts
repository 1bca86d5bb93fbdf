import { addDays } from "../contract/days.ts";
import type { Rcd } from "../contract/filters.ts";
import type { DiffSummary } from "../diff/compare.ts";
import type { Day } from "../diff/day-rows.ts";
import { type Difference, joinDays } from "../diff/join.ts";
import { packFacts, packProduct } from "../diff/listing.ts";
import { type DayPrices, skuOf } from "../mirror/prices/day-prices.ts";
import { type TitledRow, titleKey } from "../mirror/prices/titles.ts";
import { observationAt } from "./observation.ts";

export interface AsOfOptions {
  /** The two days that are compared, `YYYY-MM-DD`. */
  from: string;
  to: string;
  /** Days after which a price is no longer known; undefined for never. */
  maxAge: number | undefined;
  isWanted: (combination: Rcd) => boolean;
  /** The titles of rows by `titleKey`. */
  titlesOf: (rows: readonly TitledRow[]) => Promise<ReadonlyMap<string, string>>;
}

type Side = "from" | "to";
const SIDES = ["from", "to"] as const satisfies readonly Side[];

/** The rows of a product on the newest day that has any, up to one of the compared days. */
interface Known {
  prices: DayPrices;
  rows: number[];
}

/** Both sides are the same object where no newer day has rows. */
type Product = Partial<Record<Side, Known>>;

/** Differences of which the titles are read together; those of one retailer are never parted. */
const AT_ONCE = 100_000;

/**
 * Compares two days by the last known price of each product up to them: a product that was not crawled on the day itself
 * has the rows of its newest day before. Differences come by retailer, then sku.
 *
 * Memory: about 150 bytes a product, the columns of the days on which some product was seen last, and the differences of
 * a retailer.
 *
 * @param days those up to `to`, oldest first
 */
export async function diffAsOf(
  days: AsyncIterable<DayPrices>,
  options: AsOfOptions,
  onDifferences: (differences: readonly Difference[]) => Promise<void>,
): Promise<DiffSummary> {
  const products = { changed: 0, appeared: 0, vanished: 0, unchanged: 0 };
  const retailers = new Map<string, Record<Side, number>>();
  let held: Difference[] = [];
  const handOn = async () => {
    await onDifferences(await titled(held, options));
    held = [];
  };
  const byRetailer = [...(await lastKnown(days, options))].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [retailer, own] of byRetailer) {
    const all = [...own.values()];
    retailers.set(retailer, { from: rowsOf(all, "from"), to: rowsOf(all, "to") });
    products.unchanged += all.filter(({ from, to }) => from === to).length;
    for (const { change, differences } of joinDays(newRows(retailer, own, "from"), newRows(retailer, own, "to"))) {
      products[change] += 1;
      held.push(...differences.map((difference) => ({ ...difference, seen: seenOn(own.get(difference.sku)) })));
    }
    if (held.length >= AT_ONCE) {
      await handOn();
    }
  }
  await handOn();
  return { products, retailers };
}

function rowsOf(products: readonly Product[], side: Side): number {
  return products.reduce((sum, product) => sum + (product[side]?.rows.length ?? 0), 0);
}

/** The listings of one side, of the products that were crawled between the two days. */
function newRows(retailer: string, products: ReadonlyMap<string, Product>, side: Side): Day {
  const listings = new Map<string, string[]>();
  for (const [sku, product] of products) {
    const known = product[side];
    if (known !== undefined && product.from !== product.to) {
      listings.set(
        packProduct(retailer, sku),
        known.rows.map((row) => factsAt(known.prices, row)),
      );
    }
  }
  return listings;
}

/** Products with rows on both days, and on the one of the two that has fewer products. */
export async function sharedProducts(
  days: AsyncIterable<DayPrices>,
  isWanted: (combination: Rcd) => boolean,
): Promise<{ onBoth: number; onFewer: number }> {
  const sets: Set<string>[] = [];
  for await (const day of days) {
    const names = new Set<string>();
    const wanted = day.combinations.map(isWanted);
    for (let row = 0; row < day.rows; row += 1) {
      const combination = day.combination[row] ?? 0;
      if (wanted[combination]) {
        names.add(packProduct(day.combinations[combination]?.retailer ?? "", skuOf(day, row)));
      }
    }
    sets.push(names);
  }
  const [first = new Set<string>(), second = new Set<string>()] = sets;
  const onBoth = [...first].filter((name) => second.has(name)).length;
  return { onBoth, onFewer: Math.min(first.size, second.size) };
}

/** Products by retailer and sku. */
async function lastKnown(
  days: AsyncIterable<DayPrices>,
  { from, to, maxAge, isWanted }: AsOfOptions,
): Promise<Map<string, Map<string, Product>>> {
  const ends = { from, to };
  const isKnownOn = (side: Side, day: string) =>
    day <= ends[side] && (maxAge === undefined || day >= addDays(ends[side], -maxAge));
  const retailers = new Map<string, Map<string, Product>>();
  for await (const day of days) {
    const sides = SIDES.filter((side) => isKnownOn(side, day.day));
    const [firstSide] = sides;
    if (firstSide === undefined) {
      continue;
    }
    const productsOf = day.combinations.map((combination) => {
      if (!isWanted(combination)) {
        return undefined;
      }
      const own = retailers.get(combination.retailer) ?? new Map<string, Product>();
      retailers.set(combination.retailer, own);
      return own;
    });
    for (let row = 0; row < day.rows; row += 1) {
      const own = productsOf[day.combination[row] ?? 0];
      if (own !== undefined) {
        const sku = skuOf(day, row);
        const product = own.get(sku) ?? {};
        own.set(sku, product);
        const last = product[firstSide];
        if (last?.prices === day) {
          last.rows.push(row);
        } else {
          const known = { prices: day, rows: [row] };
          for (const side of sides) {
            product[side] = known;
          }
        }
      }
    }
  }
  return retailers;
}

function factsAt(prices: DayPrices, row: number): string {
  const { department, category, mrp, selling_price, discount_pct, currency } = observationAt(prices, row);
  return packFacts({
    department: JSON.stringify(department),
    category: JSON.stringify(category),
    title: "null",
    mrp: JSON.stringify(mrp),
    selling_price: JSON.stringify(selling_price),
    discount_pct: JSON.stringify(discount_pct),
    currency: JSON.stringify(currency),
  });
}

function seenOn(product: Product | undefined): { from: string | undefined; to: string | undefined } {
  return { from: product?.from?.prices.day, to: product?.to?.prices.day };
}

/** A record shows the title of the later day that has the product. */
async function titled(differences: readonly Difference[], { titlesOf }: AsOfOptions): Promise<Difference[]> {
  const rowOf = ({ retailer, sku, seen, to }: Difference): TitledRow => ({
    retailer,
    sku,
    day: (to === undefined ? seen?.from : seen?.to) ?? "",
  });
  const titles = await titlesOf(differences.map(rowOf));
  return differences.map((difference) => {
    const title = JSON.stringify(titles.get(titleKey(rowOf(difference))) ?? null);
    const { from, to } = difference;
    return { ...difference, from: from && { ...from, title }, to: to && { ...to, title } };
  });
}
