import { combinationFilter, dayFilter } from "../contract/filter-match.ts";
import { splitRcd } from "../contract/filters.ts";
import { retailerDayFilter, type SetFilters } from "../pull/set-filters.ts";
import type { SyncState } from "./folder-state.ts";

/** The days that have rows that the filters match, oldest first. */
export function matchingDays({ days }: Pick<SyncState, "days">, filters: SetFilters): string[] {
  const isWanted = rowFilter(filters);
  return Object.entries(days)
    .filter(([day, { counts }]) => hasAny(counts.keys(), (rcd) => isWanted(rcd, day)))
    .map(([day]) => day)
    .sort();
}

function hasAny<Item>(items: Iterable<Item>, isWanted: (item: Item) => boolean): boolean {
  for (const item of items) {
    if (isWanted(item)) {
      return true;
    }
  }
  return false;
}

/** A test whether filters match the rows of a combination on a day. A combination is on many days, so each is split once. */
export function rowFilter(filters: SetFilters): (rcd: string, day: string) => boolean {
  const isWanted = combinationFilter(filters);
  const isInDates = dayFilter(filters);
  const isDayOfRetailer = retailerDayFilter(filters);
  /** The retailer of each combination that is wanted. */
  const retailers = new Map<string, string | undefined>();
  return (rcd, day) => {
    if (!retailers.has(rcd)) {
      const combination = splitRcd(rcd);
      retailers.set(rcd, isWanted(combination) ? combination.retailer : undefined);
    }
    const retailer = retailers.get(rcd);
    return retailer !== undefined && isInDates(day) && isDayOfRetailer(retailer, day);
  };
}
