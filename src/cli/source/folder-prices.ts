import type { Prices } from "../../folder/index/day-prices.ts";
import { withPrices } from "../../folder/index/read-prices.ts";
import { ownDayFilter } from "../../pull/set-filters.ts";
import type { Context } from "../context.ts";
import type { SyncedFolder } from "./synced-folder.ts";

/**
 * The prices that the filters match, of days of a synced folder. The first time may take seconds; the progress line
 * shows it.
 *
 * @throws what `withPrices` does
 */
export async function withFolderPrices<T>(
  { reporter, ...synced }: SyncedFolder,
  { pid }: Context,
  use: (prices: Prices) => Promise<T>,
): Promise<T> {
  const onDay = (day: string) => reporter.progress.update({ doing: `reading the prices of ${day}` });
  const onNotKept = (reason: string) =>
    reporter.note(`the prices of ${synced.name} cannot be kept for the next command: ${reason}`);
  const isOfDay = synced.filters.own_days === undefined ? undefined : ownDayFilter(synced.filters);
  return await withPrices({ ...synced, pid, onDay, onNotKept, isOfDay }, async (prices) => {
    reporter.progress.clear();
    return await use(prices);
  });
}
