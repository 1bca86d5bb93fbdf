import { withFolderPrices } from "../../cli/source/folder-prices.ts";
import type { SyncedFolder } from "../../cli/source/synced-folder.ts";
import type { Context } from "../../context.ts";
import { dayNumber, dayOf } from "../../contract/values/day-arithmetic.ts";
import { groupBy } from "../../contract/values/group-by.ts";
import { UsageError } from "../../errors.ts";
import type { Prices } from "../../mirror/prices/day-prices.ts";
import { brandIn } from "../../mirror/prices/listings.ts";
import { addressesOf } from "../../mirror/prices/product-addresses.ts";
import { discountsOf } from "../../prices/discounts.ts";
import { type LatestPrice, latestPrices } from "../../prices/latest.ts";
import { findMovers } from "../../prices/movers.ts";
import { collectSeries, type Series } from "../../prices/series.ts";
import type { Figures } from "./figures.ts";
import { firstDifferences, type ListedProduct, moved, productKey } from "./listed-products.ts";
import type { ReportOptions } from "./options.ts";

/** What a report shows. */
export type Report = Awaited<ReturnType<typeof collectReport>>;

/** Products of one kind. */
export interface ProductList {
  kind: "drops" | "rises" | "new_lows" | "new" | "gone";
  /** The first of them. */
  products: readonly ListedProduct[];
  /** Number of all of them. */
  all: number;
}

/**
 * Collects a report of a folder: the products that moved, are new or are gone, by last known prices, and the state of each
 * retailer and brand, by the newest price of each product.
 *
 * @param since the day up to which earlier prices count, `YYYY-MM-DD`; undefined to compare nothing
 * @throws UsageError if the folder has no rows that the filters match
 */
export async function collectReport(
  since: string | undefined,
  options: ReportOptions,
  synced: SyncedFolder,
  context: Context,
) {
  const { name, days } = synced;
  const [first = "", last = first] = [days[0], days.at(-1)];
  return await withFolderPrices(synced, context, async (prices) => {
    const { rows, prices: latest } = await latestPrices(prices);
    if (latest.length === 0) {
      throw new UsageError(`${name} holds no rows that the filters match.`);
    }
    const lists = since === undefined ? [] : await productLists(prices, since, last, options);
    const brandOf = ({ listing }: LatestPrice) => brandIn(prices.listings.modelOf(listing));
    const retailers = freshness(latest, options.staleAfter, context.now());
    const brands = discountsByBrand(latest, brandOf);
    const seriesOf = await seriesOfListed(prices, lists);
    const lasts = lists.flatMap(({ products }) => products.flatMap((product) => seriesOf(product)?.last ?? []));
    const addressOf = await addressesOf(synced, lasts);
    return {
      /** What messages call the folder. */
      name,
      first,
      last,
      rows,
      /** The day up to which earlier prices count; undefined if the folder has a single day. */
      since,
      lists,
      retailers,
      staleAfter: options.staleAfter,
      brands: brands.slice(0, options.limit),
      allBrands: brands.length,
      figures: figuresOf(lists, retailers, latest),
      seriesOf,
      addressOf: (product: ListedProduct) => {
        const newest = seriesOf(product)?.last;
        return newest && addressOf(newest);
      },
    };
  });
}

async function productLists(
  prices: Prices,
  since: string,
  last: string,
  { limit, maxAge }: ReportOptions,
): Promise<ProductList[]> {
  const movers = await findMovers(prices, since);
  const { titleOf } = prices.listings;
  const ofMovers = (kind: ProductList["kind"], found: (typeof movers)["drop"]): ProductList => ({
    kind,
    products: found.slice(0, limit).map((mover) => moved(mover, titleOf)),
    all: found.length,
  });
  const pair = { from: since, to: last };
  return [
    ofMovers("drops", movers.drop),
    ofMovers("rises", movers.rise),
    ofMovers("new_lows", movers.new_low),
    { kind: "new", ...(await firstDifferences(prices, { ...pair, maxAge: undefined }, "appeared", limit)) },
    { kind: "gone", ...(await firstDifferences(prices, { ...pair, maxAge }, "vanished", limit)) },
  ];
}

async function seriesOfListed(prices: Prices, lists: readonly ProductList[]) {
  const listed = lists.flatMap(({ products }) => products);
  const series = new Map((await collectSeries(prices, listed)).map((one) => [productKey(one), one]));
  return (product: ListedProduct): Series | undefined => series.get(productKey(product));
}

/** The newest day of each retailer, and its age; the stalest first. */
function freshness(latest: readonly LatestPrice[], staleAfter: number, now: number) {
  const today = dayNumber(dayOf(now));
  return [...groupBy(latest, ({ retailer }) => retailer)]
    .map(([retailer, prices]) => {
      const day = prices.reduce((newest, price) => (price.day > newest ? price.day : newest), "");
      const days_old = today - dayNumber(day);
      return { retailer, products: prices.length, day, days_old, isStale: days_old > staleAfter };
    })
    .sort((a, b) => b.days_old - a.days_old || (a.retailer < b.retailer ? -1 : 1));
}

/** Those with the most discounted products first; the brand is empty for products without one. */
function discountsByBrand(latest: readonly LatestPrice[], brandOf: (price: LatestPrice) => string) {
  return [...groupBy(latest, brandOf)]
    .map(([brand, prices]) => ({ brand, ...discountsOf(prices) }))
    .sort(
      (a, b) =>
        b.discounted_products - a.discounted_products || b.products - a.products || (a.brand < b.brand ? -1 : 1),
    );
}

function figuresOf(
  lists: readonly ProductList[],
  retailers: ReturnType<typeof freshness>,
  latest: readonly LatestPrice[],
): Figures {
  const list = (kind: ProductList["kind"]) => lists.find((one) => one.kind === kind);
  return {
    drops: list("drops")?.all,
    rises: list("rises")?.all,
    new_lows: list("new_lows")?.all,
    new: list("new")?.all,
    gone: list("gone")?.all,
    biggest_drop: list("drops")?.products[0]?.percent,
    biggest_rise: list("rises")?.products[0]?.percent,
    stale: retailers.filter(({ isStale }) => isStale).length,
    days_old: retailers[0]?.days_old,
    ...discountsOf(latest),
  };
}
