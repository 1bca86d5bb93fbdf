import { UsageError } from "../../contract/errors.ts";
import { combinationFilter, dayFilter } from "../../contract/filter-match.ts";
import { type FilterName, type Filters, formatRcd, type Rcd, splitRcd } from "../../contract/filters.ts";
import { closest } from "../../contract/values/closest.ts";
import { dayNumber } from "../../contract/values/day-arithmetic.ts";
import { quoted } from "../../contract/values/phrases.ts";
import type { SyncState } from "../../folder/folder-state.ts";
import type { Combination, FilterSource } from "../../pull/written-filters.ts";
import { filtersAsFlags, flagOf } from "../flags/flag-words.ts";

/**
 * Refuses days that the folder does not cover: days later than its newest day, or outside the dates it was synced with.
 * Any other missing day had no rows when the folder was synced.
 *
 * @throws UsageError with the nearest days that the folder has
 */
export function checkDays(
  wanted: { from: string; to: string },
  folder: string,
  { filters, window, days }: SyncState,
): void {
  const isCovered = dayFilter(window);
  const held = Object.keys(days).sort();
  const newest = held.at(-1) ?? "";
  // The later day is checked first: the earlier one can be corrected only if the later one is valid.
  for (const [flag, day] of [
    ["--to", wanted.to],
    ["--from", wanted.from],
  ] as const) {
    const isOutside = days[day] === undefined && !isCovered(day);
    if (day > newest || isOutside) {
      const reason =
        newest === ""
          ? "has no days; `catalog sync` fills it"
          : isOutside
            ? `does not cover this day, because it was synced with ${filtersAsFlags(filters)}`
            : `has no such day yet, its newest is ${newest}; \`catalog sync\` brings it up to date${flag === "--to" ? ", --to latest takes the newest" : ""}`;
      const isUsable = (other: string) => (flag === "--to" ? other > wanted.from : other < wanted.to);
      const suggestions = nearestDays(day, held).filter(isUsable);
      throw new UsageError(`${flag} ${day}: ${folder} ${reason}.`, { flag, suggestions });
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

/** The combinations of all days of the folder. */
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
 * Refuses filter values that the folder has on no day, unless it has no days at all. The scope is that of the service:
 * category and department within the retailer, and a triple as a whole.
 *
 * @throws UsageError with the closest values that the folder has
 */
function checkVocabulary(filters: Filters, folder: string, state: SyncState): void {
  const named = Object.keys(state.days).length === 0 ? [] : namedBy(filters);
  const everywhere = named.length === 0 ? [] : combinationsOn(Object.keys(state.days), state);
  for (const { filter, value, scope, read } of named) {
    const isInScope = combinationFilter(scope);
    if (!everywhere.some((known) => isInScope(known) && read(known) === value)) {
      const what = filter === "rcd" ? "combination" : filter;
      const place = scope.retailer === undefined ? "" : ` at the retailer ${quoted(scope.retailer)}`;
      const limits =
        Object.keys(state.filters).length === 0 ? "" : `, which was synced with ${filtersAsFlags(state.filters)}`;
      throw new UsageError(`There is no ${what} ${quoted(value)}${place} in ${folder}${limits}.`, {
        flag: flagOf(filter),
        value,
        suggestions: closest(value, everywhere.filter(isInScope).map(read)),
      });
    }
  }
}

/** Each combination of some days once, with the newest of them. A large folder has the same 400 on each of 400 days. */
function combinationsOn(days: readonly string[], state: SyncState): Combination[] {
  const newest = new Map<string, string>();
  for (const day of [...days].sort()) {
    for (const rcd of Object.keys(state.days[day]?.counts ?? {})) {
      newest.set(rcd, day);
    }
  }
  return [...newest].map(([rcd, latest_date]) => ({ ...splitRcd(rcd), rcd, latest_date }));
}

/** A filter value, the filters it is searched within, and how to read it from a combination. */
interface Named {
  filter: FilterName;
  value: string;
  scope: Filters;
  read: (combination: Rcd) => string;
}

function namedBy({ retailer, category, department, rcd }: Filters): Named[] {
  const scope = retailer === undefined ? {} : { retailer };
  const slug = (filter: "retailer" | "category" | "department", value: string | undefined, scope: Filters): Named[] =>
    value === undefined ? [] : [{ filter, value, scope, read: (combination) => combination[filter] }];
  return [
    ...slug("retailer", retailer, {}),
    ...slug("category", category, scope),
    ...slug("department", department, scope),
    ...(rcd?.split(",") ?? []).map((value): Named => ({ filter: "rcd", value, scope: {}, read: formatRcd })),
  ];
}
