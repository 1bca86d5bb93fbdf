import type { Context } from "../../cli/context.ts";
import { refuseHeld } from "../../cli/flags/condition.ts";
import { hasRowFormat } from "../../cli/flags/output.ts";
import { sortBy } from "../../cli/order.ts";
import { withFolderPrices } from "../../cli/source/folder-prices.ts";
import { comparedSince, type SinceDays } from "../../cli/source/since-look.ts";
import { type SyncedFolder, withSyncedFolder } from "../../cli/source/synced-folder.ts";
import { showTable } from "../../cli/terminal/pager.ts";
import { screenOf } from "../../cli/terminal/screen.ts";
import { hasAddresses, writeRecords } from "../../cli/write-list.ts";
import { groupDigits } from "../../contract/values/counted.ts";
import { groupBy } from "../../contract/values/group-by.ts";
import { brandIn } from "../../folder/index/listings.ts";
import { addressesOf } from "../../folder/index/product-addresses.ts";
import { findMovers, type Mover, type MoverKind } from "../../folder/prices/movers.ts";
import type { ProductGroup } from "../../folder/prices/observation.ts";
import { type MoverRecord, moverRecord, moversText } from "./movers-table.ts";
import { MOVER_COLUMNS, type MoversOptions } from "./options.ts";

export async function runMovers(options: MoversOptions, context: Context): Promise<void> {
  await withSyncedFolder(options, context, async (synced) => {
    const compared = { since: options.since, command: "movers" };
    await comparedSince(compared, synced, context, (days) => writeMovers(days, synced, options, context));
  });
}

async function writeMovers(
  { since, latest }: SinceDays,
  synced: SyncedFolder,
  options: MoversOptions,
  context: Context,
): Promise<void> {
  const { days, reporter } = synced;
  const { all, listings } = await withFolderPrices(synced, context, async (prices) => ({
    all: await findMovers(prices, since),
    listings: prices.listings,
  }));
  const { output, columns, list } = options;
  const namesOf = ({ now }: Mover) => ({
    title: listings.titleOf(now.listing),
    brand: brandIn(listings.modelOf(now.listing)),
  });
  const member = (mover: Mover, column: string) =>
    moverRecord({ ...mover, ...namesOf(mover), url: undefined })[column as keyof MoverRecord];
  const groupNameOf = (mover: Mover, dimension: ProductGroup) =>
    dimension === "brand" ? namesOf(mover).brand || "no brand" : mover.now[dimension];
  const found = options.kinds.flatMap((kind) =>
    groupsOf(kind, sortBy(all[kind], list.sort, member), options, groupNameOf),
  );
  const listed = hasAddresses(options, context) ? found.flatMap(({ movers }) => movers.map(({ now }) => now)) : [];
  const addressOf = await addressesOf(synced, listed);
  const named = (mover: Mover) => ({ ...mover, ...namesOf(mover), url: addressOf(mover.now) });
  const groups = found.map((group) => ({ ...group, movers: group.movers.map(named) }));
  if (hasRowFormat(output)) {
    const movers = groups.flatMap((group) => group.movers);
    await writeRecords(movers, { recordOf: moverRecord, known: MOVER_COLUMNS }, { output, columns }, reporter, context);
  } else {
    const text = moversText(options.kinds, groups, columns, { since, latest }, screenOf(context, options));
    await showTable(text, output, list, reporter, context);
    reporter.note(`prices of ${groupDigits(days.length)} days, the newest ${latest}`);
  }
  const isHeld = ({ now, percent, before }: Mover) =>
    options.failIf?.holds({ ...now, percent, before_selling_price: before?.selling_price });
  const held = options.kinds.flatMap((kind) => all[kind].filter(isHeld));
  refuseHeld(options.failIf, new Set(held.map(({ now }) => `${now.retailer} ${now.sku}`)));
}

function groupsOf(
  kind: MoverKind,
  movers: readonly Mover[],
  { groupBy: dimension, limit }: MoversOptions,
  nameOf: (mover: Mover, dimension: ProductGroup) => string,
) {
  const groups =
    dimension === undefined
      ? [[undefined, movers] as const]
      : [...groupBy(movers, (mover) => nameOf(mover, dimension))].sort(([a], [b]) => (a < b ? -1 : 1));
  return groups.map(([name, own]) => ({ kind, name, movers: own.slice(0, limit), all: own.length }));
}
