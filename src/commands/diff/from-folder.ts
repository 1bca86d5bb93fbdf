import { withinMaxTime } from "../../cli/max-time.ts";
import { createReporter } from "../../cli/reporter.ts";
import { checkDays, checkVocabulary, folderFilters, nearestDays } from "../../cli/source/folder-vocabulary.ts";
import type { Context } from "../../context.ts";
import { combinationFilter } from "../../contract/filter-match.ts";
import type { Rcd } from "../../contract/filters.ts";
import { folderDays } from "../../mirror/folder/folder-days.ts";
import type { SyncState } from "../../mirror/folder/folder-state.ts";
import { filtersAsFlags } from "../../mirror/folder/remembered.ts";
import { closeDays, combinationsOf, openDays, readSyncedFolder } from "../../mirror/folder/synced-day.ts";
import { resolveFilters } from "../../pull/written-filters.ts";
import { type ComparedDays, resolveDaysOf } from "./days.ts";
import type { DiffOptions } from "./options.ts";

/**
 * Days of a synced folder; nothing else is read, and nobody is asked.
 *
 * @throws UsageError where the folder cannot tell of a day, or has nothing of a filter
 */
export async function withFolderDays(
  folder: string,
  options: DiffOptions,
  context: Context,
  use: (days: ComparedDays) => Promise<void>,
): Promise<void> {
  const { globals } = options;
  await withinMaxTime(globals, context, async (signal) => {
    const state = await readSyncedFolder(folder);
    const filters = await resolveFilters(options.filters, folderFilters(folder, state), context.now());
    const isWanted = combinationFilter(filters);
    const { from, to } = await resolveDaysOf(options, context.now(), async () => matchingDays(state, isWanted).at(-1));
    checkDays({ from, to }, folder, state);
    checkVocabulary(filters, [from, to], folder, state);
    const reporter = createReporter(globals, context);
    if (Object.keys(state.filters).length > 0) {
      reporter.note(`${folder} holds what it was synced with: ${filtersAsFlags(state.filters)}`);
    }
    const days = await openDays(folder, [from, to]);
    try {
      await use({
        from,
        to,
        source: folderDays(days, { isWanted, signal }),
        reporter,
        signal,
        daysWithRows: async (empty) => describeDays(matchingDays(state, isWanted), empty),
      });
    } finally {
      await closeDays(days);
    }
  });
}

function matchingDays({ days }: SyncState, isWanted: (combination: Rcd) => boolean): string[] {
  return Object.entries(days)
    .filter(([, state]) => combinationsOf(state).some(isWanted))
    .map(([day]) => day)
    .sort();
}

function describeDays(days: readonly string[], empty: readonly string[]): string | undefined {
  const around = [...new Set(empty.flatMap((day) => nearestDays(day, days)))].sort();
  return around.length === 0 ? undefined : `nearest days with rows: ${around.join(", ")}`;
}
