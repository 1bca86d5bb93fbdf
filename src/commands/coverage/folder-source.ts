import type { CatalogClient } from "../../api/client.ts";
import { withSyncedFolder } from "../../cli/source/synced-folder.ts";
import type { Context } from "../../context.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { combinationFilter, dayFilter } from "../../contract/filter-match.ts";
import { formatRcd, type Rcd } from "../../contract/filters.ts";
import { assertDaysInPlace } from "../../mirror/folder/day-files.ts";
import type { DayState } from "../../mirror/folder/folder-state.ts";
import { combinationsOf } from "../../mirror/folder/synced-day.ts";
import { summaryOf } from "../../pull/long-lists.ts";
import { ownDayFilter, withOwnDays } from "../../pull/own-days.ts";
import type { CoverageSource } from "./coverage-source.ts";
import type { DayCounts } from "./day-counts.ts";
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
    const isOwnDay = ownDayFilter(filters);
    const wanted = new Map(
      days.map((day) => [day, rowsOf(state.days[day], (one) => isWanted(one) && isOwnDay(one.retailer, day))]),
    );
    return await use({
      ...{ client: withOwnDays(countingClient(all)), filters, service: folder, reporter, signal, isFolder: true },
      days: async () => wanted,
    });
  });
}

/** The rows of some combinations on a day. */
function rowsOf(day: Pick<DayState, "counts"> = { counts: {} }, isWanted: (combination: Rcd) => boolean = () => true) {
  const wanted = combinationsOf(day).filter(isWanted);
  return new Map(wanted.map((combination) => [formatRcd(combination), combination.rows]));
}

/**
 * A client whose coverage (contract section 4.4) comes from counted days.
 *
 * @param days all days; the corpus rows of a combination are its rows on them
 */
export function countingClient(days: DayCounts): Pick<CatalogClient, "coverage"> {
  const corpus = new Map<string, number>();
  for (const [rcd, rows] of [...days.values()].flatMap((counts) => [...counts])) {
    corpus.set(rcd, (corpus.get(rcd) ?? 0) + rows);
  }
  return {
    coverage: async (filters) => {
      const isInDates = dayFilter(filters);
      const isWanted = combinationFilter(filters);
      const found = new Map<string, Coverage>();
      for (const [day, counts] of [...days].filter(([name]) => isInDates(name))) {
        const wanted = combinationsOf({ counts: Object.fromEntries(counts) }).filter(isWanted);
        for (const { rows, retailer, category, department } of wanted) {
          const rcd = formatRcd({ retailer, category, department });
          const entry = found.get(rcd);
          found.set(rcd, {
            ...{ retailer, department, category, rcd, corpus_rows: corpus.get(rcd) ?? 0 },
            matching_rows: (entry?.matching_rows ?? 0) + rows,
            earliest_date: entry !== undefined && entry.earliest_date < day ? entry.earliest_date : day,
            latest_date: entry !== undefined && entry.latest_date > day ? entry.latest_date : day,
          });
        }
      }
      const data = [...found.values()];
      const none = { retailer: null, category: null, department: null, rcd: null, start_date: null, end_date: null };
      return { data, meta: { request_id: "", resolved: { ...none, ...filters }, coverage: summaryOf(data) } };
    },
  };
}
