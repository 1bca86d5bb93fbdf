import type { Context } from "../../cli/context.ts";
import { hasRowFormat } from "../../cli/flags/output.ts";
import { compareTexts, sortBy } from "../../cli/order.ts";
import { withFolderPrices } from "../../cli/source/folder-prices.ts";
import { type SyncedFolder, withSyncedFolder } from "../../cli/source/synced-folder.ts";
import { hasAddresses, listed, writeList } from "../../cli/write-list.ts";
import { counted } from "../../contract/values/counted.ts";
import { addDays, dayNumber, dayOf } from "../../contract/values/day-arithmetic.ts";
import type { Listings } from "../../folder/index/listings.ts";
import { addressesOf } from "../../folder/index/product-addresses.ts";
import { discountsOf } from "../../folder/prices/discounts.ts";
import { latestPrices } from "../../folder/prices/latest.ts";
import type { ProductGroup } from "../../folder/prices/observation.ts";
import {
  type AgedPrice,
  type GroupRecord,
  groupRecords,
  groupsTable,
  LATEST_TYPES,
  type LatestRecord,
  latestRecord,
  latestTable,
} from "./latest-table.ts";
import { GROUP_COLUMNS, LATEST_COLUMNS, type LatestOptions } from "./options.ts";

export async function runLatest(options: LatestOptions, context: Context): Promise<void> {
  await withSyncedFolder(options, context, async (synced) => {
    const { groupBy, maxAge } = options;
    const today = dayOf(context.now());
    const { own_days = {}, ...shared } = synced.filters;
    const [earliest = today] = [shared, ...Object.values(own_days)].map(({ end_date = today }) => end_date).sort();
    // Days before it have prices that are too old for every retailer.
    const first = maxAge === undefined ? "" : addDays(earliest, -maxAge);
    const days = synced.days.filter((day) => day >= first);
    const { prices, listings } = await withFolderPrices({ ...synced, days }, context, async (prices) => ({
      ...(await latestPrices(prices)),
      listings: prices.listings,
    }));

    const numberOf = rememberedDayNumber();
    const known = prices.flatMap((price): AgedPrice | [] => {
      const { end_date = today } = own_days[price.retailer] ?? shared;
      const days_old = numberOf(end_date) - numberOf(price.day);
      const isKnown = maxAge === undefined || days_old <= maxAge;
      return isKnown ? Object.assign(price, { days_old, sku: listings.skuOf(price.listing) }) : [];
    });

    await (groupBy === undefined
      ? writeProducts(known, listings, synced, options, context)
      : writeGroups(known, groupBy, listings, synced, options, context));
    if (!hasRowFormat(options.output)) {
      const read =
        days.length === 0 ? "no rows match" : `prices of ${counted(days.length, "day")}, the newest ${days.at(-1)}`;
      synced.reporter.note(read);
    }
  });
}

/** As `dayNumber`, for many of few days. */
function rememberedDayNumber(): typeof dayNumber {
  const numbers = new Map<string, number>();
  return (day) => numbers.get(day) ?? numbers.set(day, dayNumber(day)).get(day) ?? Number.NaN;
}

async function writeProducts(
  prices: readonly AgedPrice[],
  listings: Listings,
  synced: SyncedFolder,
  options: LatestOptions,
  context: Context,
): Promise<void> {
  const isByAddress = options.list.sort?.column === "url";
  const ordered = [...prices].sort(byProduct);

  const addressOfAll = await addressesOf(synced, isByAddress ? ordered : []);
  const sorted = sortBy(
    ordered,
    options.list.sort,
    (price, column) => latestRecord(price, listings, addressOfAll(price))[column as keyof LatestRecord],
  );
  const shown = hasAddresses(options, context) ? listed(sorted, options, context) : [];
  const addressOf = isByAddress ? addressOfAll : await addressesOf(synced, shown);

  const view = {
    recordOf: (price: AgedPrice) => latestRecord(price, listings, addressOf(price)),
    known: LATEST_COLUMNS,
    types: LATEST_TYPES,
    tableOf: latestTable,
    captions: ["retailer", "currency"],
  };
  await writeList(sorted, view, options, synced.reporter, context);
}

async function writeGroups(
  prices: readonly AgedPrice[],
  by: ProductGroup,
  listings: Listings,
  { reporter }: SyncedFolder,
  options: LatestOptions,
  context: Context,
): Promise<void> {
  const groups = groupRecords(prices, by, listings);
  const byProducts = { column: "products", descending: true };
  const sorted = sortBy(groups, options.list.sort ?? byProducts, (group, column) => group[column as keyof GroupRecord]);
  const view = {
    recordOf: (group: GroupRecord) => group,
    known: [by, ...GROUP_COLUMNS],
    types: LATEST_TYPES,
    tableOf: (records: readonly GroupRecord[]) => groupsTable(records, by, discountsOf(prices)),
    captions: [],
  };
  await writeList(sorted, view, options, reporter, context);
}

/** By retailer, then sku. */
function byProduct(a: AgedPrice, b: AgedPrice): number {
  return compareTexts(a.retailer, b.retailer) || compareTexts(a.sku, b.sku);
}
