import type { Context } from "../../cli/context.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { withFolderPrices } from "../../cli/source/folder-prices.ts";
import { checkDays, nearestDays } from "../../cli/source/folder-vocabulary.ts";
import { comparedSince, isLook } from "../../cli/source/since-look.ts";
import { type SyncedFolder, withSyncedFolder } from "../../cli/source/synced-folder.ts";
import { groupDigits } from "../../contract/values/counted.ts";
import type { Prices } from "../../folder/index/day-prices.ts";
import { diffAsOf, sharedProducts } from "../../folder/prices/as-of.ts";
import { type ComparedDays, resolveDaysOf } from "./days.ts";
import type { DiffOptions } from "./options.ts";

/**
 * Days of a synced folder, read without any request.
 *
 * @throws UsageError if the folder does not cover a day
 */
export async function withFolderDays(
  options: DiffOptions,
  context: Context,
  use: (days: ComparedDays) => Promise<void>,
): Promise<void> {
  await withSyncedFolder(options, context, async (synced) => {
    if (isLook(options.from)) {
      const look = { since: options.from, command: "diff" };
      await comparedSince(look, synced, context, ({ since, latest }) =>
        useDays({ from: since, to: latest }, synced, options, context, use),
      );
    } else {
      const newest = async () => synced.days.at(-1);
      await useDays(await resolveDaysOf(options, context.now(), newest), synced, options, context, use);
    }
  });
}

async function useDays(
  { from, to }: { from: string; to: string },
  synced: SyncedFolder,
  options: DiffOptions,
  context: Context,
  use: (days: ComparedDays) => Promise<void>,
): Promise<void> {
  const { folder, state, days: withRows, reporter, signal } = synced;
  checkDays({ from, to }, folder, state);
  const daysWithRows: ComparedDays["daysWithRows"] = async (empty) => {
    const around = [...new Set(empty.flatMap((day) => nearestDays(day, withRows)))].sort();
    return around.length === 0 ? undefined : `nearest days with rows: ${around.join(", ")}`;
  };
  const pricesOf: PricesOf = (days, use) => withFolderPrices({ ...synced, days }, context, use);
  const held = withRows.filter((day) => day <= to);
  const isUsable = !options.failOnEmpty && held.some((day) => day <= from);
  const missing = isUsable ? [from, to].filter((day) => !held.includes(day)) : [];
  // Without a newer day since a look there is nothing to compare.
  const asOf = from === to || (options.asOf ?? (await shareFew({ from, to, missing }, pricesOf, reporter)));
  // With an age of 0 days the last known prices are those of the two days themselves.
  const maxAge = asOf ? options.maxAge : 0;
  const compare: ComparedDays["compare"] = (_, onDifferences) =>
    pricesOf(asOf ? held : [from, to], (prices) => diffAsOf(prices, { from, to, maxAge }, onDifferences));
  await use({ from, to, asOf, compare, reporter, signal, daysWithRows });
}

type PricesOf = <T>(days: readonly string[], use: (prices: Prices) => Promise<T>) => Promise<T>;

/**
 * Whether fewer than half of the products of the day with fewer products are on the other day, too. A missing day, which
 * has no rows although earlier ones have some, shares nothing: everything would seem to have appeared or vanished.
 */
async function shareFew(
  { from, to, missing }: { from: string; to: string; missing: readonly string[] },
  pricesOf: PricesOf,
  reporter: Reporter,
): Promise<boolean> {
  const instead = "the last known prices up to each are compared; --no-as-of compares the days themselves";
  if (missing.length > 0) {
    reporter.warn(`no rows match on ${missing.join(" and ")}, so ${instead}`);
    return true;
  }
  const { onBoth, onFewer } = await pricesOf([from, to], sharedProducts);
  if (onBoth * 2 >= onFewer) {
    return false;
  }
  reporter.note(`${from} and ${to} share ${groupDigits(onBoth)} of ${groupDigits(onFewer)} products, so ${instead}`);
  return true;
}
