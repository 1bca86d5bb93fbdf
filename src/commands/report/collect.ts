import type { Context } from "../../cli/context.ts";
import { withFolderPrices } from "../../cli/source/folder-prices.ts";
import type { SyncedFolder } from "../../cli/source/synced-folder.ts";
import { UsageError } from "../../contract/errors.ts";
import { dayNumber, dayOf } from "../../contract/values/day-arithmetic.ts";
import { groupBy } from "../../contract/values/group-by.ts";
import { brandIn } from "../../folder/index/listings.ts";
import { addressesOf } from "../../folder/index/product-addresses.ts";
import { discountsOf } from "../../folder/prices/discounts.ts";
import { type LatestPrice, latestPrices } from "../../folder/prices/latest.ts";
import { collectSeries } from "../../folder/prices/series.ts";
import type { Figures } from "./figures.ts";
import { type ProductList, productKey, productLists } from "./listed-products.ts";
import type { ReportOptions } from "./options.ts";

/** What a report shows. */
export type Report = Awaited<ReturnType<typeof collectReport>>;

export type ShownProduct = Report["lists"][number]["products"][number];

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
    const lists = since === undefined ? [] : await productLists(prices, { from: since, to: last }, options);
    const series = await collectSeries(
      prices,
      lists.flatMap(({ products }) => products),
    );
    const seriesOf = new Map(series.map((one) => [productKey(one), one]));
    const addressOf = await addressesOf(
      synced,
      series.map((one) => one.last),
    );
    const retailers = freshness(latest, options.staleAfter, context.now());
    const brands = discountsByBrand(latest, ({ listing }) => brandIn(prices.listings.modelOf(listing)));
    return {
      /** What messages call the folder. */
      name,
      first,
      last,
      rows,
      /** The day up to which earlier prices count; undefined if the folder has a single day. */
      since,
      lists: lists.map((list) => ({
        ...list,
        products: list.products.map((product) => {
          const own = seriesOf.get(productKey(product));
          return { ...product, series: own, url: own && addressOf(own.last) };
        }),
      })),
      retailers,
      staleAfter: options.staleAfter,
      brands: brands.slice(0, options.limit),
      allBrands: brands.length,
      figures: figuresOf(lists, retailers, latest),
    };
  });
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
    ...Object.fromEntries(lists.map(({ kind, all }) => [kind, all])),
    biggest_drop: list("drops")?.products[0]?.percent,
    biggest_rise: list("rises")?.products[0]?.percent,
    stale: retailers.filter(({ isStale }) => isStale).length,
    days_old: retailers[0]?.days_old,
    ...discountsOf(latest),
  };
}
