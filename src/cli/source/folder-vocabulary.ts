import { UsageError } from "../../contract/errors.ts";
import { combinationFilter, dayFilter } from "../../contract/filter-match.ts";
import { type Filters, flagOf, splitRcd } from "../../contract/filters.ts";
import { describeUnknown, findUnknownValue, type UnknownValue } from "../../contract/unknown-value.ts";
import { closest } from "../../contract/values/closest.ts";
import { dayNumber } from "../../contract/values/day-arithmetic.ts";
import { type SyncState, syncCommand } from "../../folder/folder-state.ts";
import { type FilterSource, filtersAsFlags } from "../../pull/written-filters.ts";

/**
 * Refuses days after the newest day of the folder, and days outside of the dates that it was synced with. Other missing days
 * had no rows when the folder was synced, and are accepted.
 *
 * @throws UsageError with the nearest days of the folder
 */
export function checkDays(
  compared: { from: string; to: string },
  { name, folder, state }: { name: string; folder: string; state: SyncState },
): void {
  const { filters, window, days } = state;
  const isCovered = dayFilter(window);
  const stored = Object.keys(days).sort();
  const newest = stored.at(-1);
  // The name of a demo is not its path, and no sync adds days to it.
  const update = name === folder ? [`\`${syncCommand(folder)}\` brings it up to date`] : [];
  // The later day first: the earlier one can only be corrected if the later one is valid.
  for (const [flag, day] of [
    ["--to", compared.to],
    ["--from", compared.from],
  ] as const) {
    const hints = flag === "--to" ? [...update, "--to latest takes the newest"] : update;
    const isOutside = days[day] === undefined && !isCovered(day);
    if (newest === undefined || day > newest || isOutside) {
      const reason =
        newest === undefined
          ? `has no days; \`${syncCommand(folder)}\` fills it`
          : isOutside
            ? `does not cover this day, because it was synced with ${filtersAsFlags(filters)}`
            : `has no such day yet: its newest is ${newest}; ${hints.join(", ")}`;
      const isUsable = (other: string) => (flag === "--to" ? other > compared.from : other < compared.to);
      const suggestions = nearestDays(day, stored).filter(isUsable);
      throw new UsageError(`${flag} ${day}: ${name} ${reason}.`, { flag, suggestions });
    }
  }
}

/** The last day before and the first day after `day`, the nearer one first. */
export function nearestDays(day: string, days: readonly string[]): string[] {
  const distance = (other: string) => Math.abs(dayNumber(other) - dayNumber(day));
  return [days.findLast((other) => other < day), days.find((other) => other > day)]
    .filter((other) => other !== undefined)
    .sort((a, b) => distance(a) - distance(b));
}

/** A folder as the source by which filters are checked and resolved. */
export function folderFilters(folder: string, state: SyncState): FilterSource {
  const check = async (filters: Filters) => checkVocabulary(filters, folder, state);
  return {
    check,
    combinations: async (filters) => {
      await check(filters);
      return combinationsOn(Object.keys(state.days).filter(dayFilter(filters)), state).filter(
        combinationFilter(filters),
      );
    },
  };
}

/**
 * Refuses filter values that occur on no day of the folder, unless it has no days.
 *
 * @throws UsageError with the closest values in the folder
 */
function checkVocabulary(filters: Filters, folder: string, state: SyncState): void {
  const days = Object.keys(state.days);
  const isNothingToFind = days.length === 0 || Object.keys(filters).length === 0;
  const unknown = isNothingToFind ? undefined : findUnknownValue(filters, combinationsOn(days, state));
  if (unknown !== undefined) {
    const limits =
      Object.keys(state.filters).length === 0 ? "" : `, which was synced with ${filtersAsFlags(state.filters)}`;
    throw unknownValueError(`There is no ${describeUnknown(unknown)} in ${folder}${limits}.`, unknown);
  }
}

export function unknownValueError(message: string, { filter, value, candidates }: UnknownValue): UsageError {
  return new UsageError(message, { flag: flagOf(filter), value, suggestions: closest(value, candidates) });
}

/** The distinct combinations of some days, each with its newest day. */
export function combinationsOn(days: readonly string[], state: SyncState) {
  const newest = new Map<string, string>();
  for (const day of [...days].sort().reverse()) {
    for (const rcd of state.days[day]?.counts.keys() ?? []) {
      if (!newest.has(rcd)) {
        newest.set(rcd, day);
      }
    }
  }
  return [...newest].map(([rcd, latest_date]) => ({ ...splitRcd(rcd), rcd, latest_date }));
}
