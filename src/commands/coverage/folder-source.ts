import { withSyncedFolder } from "../../cli/source/synced-folder.ts";
import type { Context } from "../../context.ts";
import { formatRcd, type Rcd } from "../../contract/filters.ts";
import { assertDaysInPlace } from "../../mirror/folder/day-files.ts";
import type { DayState } from "../../mirror/folder/folder-state.ts";
import { combinationsOf } from "../../mirror/folder/synced-day.ts";
import { countingClient } from "./counting-client.ts";
import type { CoverageSource } from "./coverage-source.ts";
import type { CoverageOptions } from "./options.ts";

/** Opens a folder of `catalog sync` as a source of counts. */
export async function withFolderSource<T>(
  options: CoverageOptions,
  context: Context,
  use: (source: CoverageSource) => Promise<T>,
): Promise<T> {
  return await withSyncedFolder({ ...options, folder: options.from }, context, async (synced) => {
    const { folder, state, filters, days, isWanted, reporter, signal } = synced;
    await assertDaysInPlace(folder, state, days);
    const all = new Map(Object.entries(state.days).map(([day, held]) => [day, rowsOf(held)]));
    const wanted = new Map(days.map((day) => [day, rowsOf(state.days[day], isWanted)]));
    return await use({
      ...{ client: countingClient(all), filters, service: folder, reporter, signal, isFolder: true },
      days: async () => wanted,
    });
  });
}

/** The rows of some combinations on a day. */
function rowsOf(day: Pick<DayState, "counts"> = { counts: {} }, isWanted: (combination: Rcd) => boolean = () => true) {
  const wanted = combinationsOf(day).filter(isWanted);
  return new Map(wanted.map((combination) => [formatRcd(combination), combination.rows]));
}
