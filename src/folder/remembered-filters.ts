import { FileError, UsageError } from "../contract/errors.ts";
import { FILTER_NAMES, flagOf, isCalendarDate, parseRcd } from "../contract/filters.ts";
import { filtersAsFlags, type WrittenFilters } from "../pull/written-filters.ts";
import { type SyncState, startOver, statePathOf } from "./folder-state.ts";

type WrittenName = keyof WrittenFilters;

/**
 * The filters that a folder was first synced with, as they were written.
 *
 * @param given this run's filters; empty to use the remembered ones
 * @throws UsageError if the folder is a copy of another service, or the filters are different
 */
export function rememberedFilters(
  folder: string,
  state: SyncState,
  given: { service: string; filters: WrittenFilters },
): WrittenFilters {
  if (state.service !== given.service) {
    throw new UsageError(
      `${folder} is a copy of ${state.service}, not of ${given.service}. Name another folder, or use the service of the folder.`,
    );
  }
  if (Object.keys(given.filters).length === 0) {
    return state.filters;
  }
  const differing = FILTER_NAMES.filter(
    (name) => sortedValues(state.filters[name]) !== sortedValues(given.filters[name]),
  );
  if (differing.length > 0) {
    const kept = Object.keys(state.filters).length === 0 ? "without filters" : `with ${filtersAsFlags(state.filters)}`;
    const changes = differing.map(
      (name) => `${flagOf(name)} is ${valueText(state.filters[name])} there and ${valueText(given.filters[name])} here`,
    );
    throw new UsageError(
      `${folder} is kept ${kept}: ${changes.join("; ")}. Leave out the filters to keep those of the folder, or name another folder.`,
      { flag: flagOf(differing[0] as WrittenName) },
    );
  }
  return given.filters;
}

/**
 * Refuses a state with rows outside its own filters, because sync never writes such a state. Days that are no longer
 * within relative dates are fine.
 *
 * @throws FileError naming the day or the combination
 */
export function assertWithinFilters(folder: string, { filters, days }: SyncState): void {
  const path = statePathOf(folder);
  const refuse = (what: string) => {
    throw new FileError(
      `${path} names ${what}, outside its filters (${filtersAsFlags(filters)}); ${startOver(folder)}`,
      path,
    );
  };
  const { start_date = "", end_date = "" } = filters;
  for (const [day, { counts }] of Object.entries(days)) {
    if ((isCalendarDate(start_date) && day < start_date) || (isCalendarDate(end_date) && day > end_date)) {
      refuse(day);
    }
    const other = [...counts.keys()].find((rcd) => !isOfFilters(filters, rcd));
    if (other !== undefined) {
      refuse(`${other} on ${day}`);
    }
  }
}

function isOfFilters({ rcd, ...filters }: WrittenFilters, combination: string): boolean {
  const parts = parseRcd(combination);
  return (
    parts !== undefined &&
    (rcd === undefined || rcd.includes(combination)) &&
    (["retailer", "category", "department"] as const).every((kind) => filters[kind]?.includes(parts[kind]) ?? true)
  );
}

function sortedValues(value: WrittenFilters[WrittenName]): string {
  return [value ?? []].flat().sort().join();
}

function valueText(value: WrittenFilters[WrittenName]): string {
  return value === undefined ? "not set" : [value].flat().join(",");
}
