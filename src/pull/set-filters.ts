import { dayFilter } from "../contract/filter-match.ts";
import type { Filters } from "../contract/filters.ts";

export type DayWindow = Pick<Filters, "start_date" | "end_date">;

/**
 * Filters of a set in which each of several retailers has its own days, because the dates were written relative to the newest
 * day of each. They do not fit into one request: `start_date` and `end_date` span the days of all retailers.
 */
export interface SetFilters extends Filters {
  /** The days of each retailer; absent if all have those of `start_date` and `end_date`. */
  daysByRetailer?: Readonly<Record<string, DayWindow>>;
}

/** The filters of one retailer of a set, with its own days. */
export function filtersOfRetailer({ daysByRetailer, ...filters }: SetFilters, retailer: string): Filters {
  const triples = filters.rcd?.split(",").filter((triple) => triple.startsWith(`${retailer}:`));
  const named = triples === undefined ? { retailer } : { rcd: triples.join(",") };
  return { ...filters, ...named, ...daysByRetailer?.[retailer] };
}

/** Whether a day is among the days of a retailer; true for one without days of its own. */
export function retailerDayFilter({ daysByRetailer }: SetFilters): (retailer: string, day: string) => boolean {
  const filters = new Map(Object.entries(daysByRetailer ?? {}).map(([name, window]) => [name, dayFilter(window)]));
  return (retailer, day) => filters.get(retailer)?.(day) ?? true;
}

/** The smallest window that contains all given ones; unbounded ends are ignored. */
export function spanOf(windows: readonly DayWindow[]): DayWindow {
  return windowOf(daysOf("start_date", windows)[0], daysOf("end_date", windows).at(-1));
}

/** The days that two windows share. */
export function sharedDays(one: DayWindow, other: DayWindow): DayWindow {
  return windowOf(daysOf("start_date", [one, other]).at(-1), daysOf("end_date", [one, other])[0]);
}

/** The first or last days of those windows that have one, in order. */
function daysOf(name: keyof DayWindow, windows: readonly DayWindow[]): string[] {
  return windows.flatMap((window) => window[name] ?? []).sort();
}

export function windowOf(first: string | undefined, last: string | undefined): DayWindow {
  return { ...(first !== undefined && { start_date: first }), ...(last !== undefined && { end_date: last }) };
}

/** Whether a window has any day. */
export function isNonEmptyWindow({ start_date = "", end_date = "9999-12-31" }: DayWindow): boolean {
  return start_date <= end_date;
}
