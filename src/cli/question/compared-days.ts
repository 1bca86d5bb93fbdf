import { combinationFilter } from "../../contract/filter-match.ts";
import { splitRcd } from "../../contract/filters.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { combinationsOn } from "../source/folder-vocabulary.ts";
import type { SyncedFolder } from "../source/synced-folder.ts";

/** The days of one retailer, an element of the query parameter `days`. */
export type RetailerDays = {
  retailer: string;
  first_day: string;
  since: string;
  last_day: string;
  /** The day to which ages are counted. */
  today: string;
};

/** The first day that a row can have. */
const FIRST_DAY = "0000-01-01";

/** The newest day of the folder up to today (UTC). */
export function newestDayOf({ state }: Pick<SyncedFolder, "state">, now: number): string {
  const today = dayOf(now);
  const days = Object.keys(state.days).sort();
  return days.findLast((day) => day <= today) ?? today;
}

/** The newest day up to `newest` with rows that match the filters; `newest` if there is none. */
export function newestMatchingDay({ days }: Pick<SyncedFolder, "days">, newest: string): string {
  return days.findLast((day) => day <= newest) ?? newest;
}

/** The number of rows that the filters match, of any brand, and that are dated after both today (UTC) and `day`. */
export function rowsAfter({ state, filters }: SyncedFolder, day: string, now: number): number {
  const isWanted = combinationFilter(filters);
  return Object.entries(state.days)
    .filter(([dated]) => dated > day && dated > dayOf(now))
    .flatMap(([, { counts }]) => [...counts])
    .reduce((sum, [rcd, rows]) => (isWanted(splitRcd(rcd)) ? sum + rows : sum), 0);
}

/** The newest crawled day of each retailer that the filters match, up to the end of its own days or, without these, `lastDay`. */
export function newestOfRetailers({ state, filters }: SyncedFolder, lastDay: string): Map<string, string> {
  const lastDayOf = (retailer: string) => filters.daysByRetailer?.[retailer]?.end_date ?? lastDay;
  const lastDays = new Set([lastDay, ...Object.keys(filters.daysByRetailer ?? {}).map(lastDayOf)]);
  const newest = new Map<string, string>();
  for (const last of lastDays) {
    const days = Object.keys(state.days).filter((day) => day <= last);
    for (const { retailer, latest_date } of combinationsOn(days, state).filter(combinationFilter(filters))) {
      if (lastDayOf(retailer) === last && latest_date > (newest.get(retailer) ?? "")) {
        newest.set(retailer, latest_date);
      }
    }
  }
  return newest;
}

/**
 * The days of each retailer.
 *
 * @param lastDay the newest day, unless the filters name one
 * @param today the day to which ages are counted, unless the filters name an end date, which replaces it
 * @param sinceOf the day with which a retailer is compared
 */
export function daysOfRetailers(
  { filters }: SyncedFolder,
  retailers: ReadonlyMap<string, string>,
  { lastDay, today }: { lastDay: string; today: string },
  sinceOf: (retailer: string) => string = () => FIRST_DAY,
): RetailerDays[] {
  const { daysByRetailer = {}, ...shared } = filters;
  return [...retailers.keys()].sort().map((retailer) => {
    const { start_date = FIRST_DAY, end_date } = daysByRetailer[retailer] ?? shared;
    const [last_day, until] = [end_date ?? lastDay, end_date ?? today];
    return { retailer, first_day: start_date, since: sinceOf(retailer), last_day, today: until };
  });
}
