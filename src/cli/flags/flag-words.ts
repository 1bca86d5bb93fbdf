import { type InputError, UsageError } from "../../contract/errors.ts";
import { FILTER_NAMES } from "../../contract/filters.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";
import { quoteCommand } from "../terminal/quote.ts";

/** The flag of an input: `start_date` is `--start-date`. */
export function flagOf(input: string): string {
  return `--${input.replaceAll("_", "-")}`;
}

/** Filters as words of a command line. */
export function flagsOfFilters(filters: WrittenFilters): string[] {
  return FILTER_NAMES.flatMap((name) => {
    const value = filters[name];
    return value === undefined ? [] : [flagOf(name), [value].flat().join(",")];
  });
}

/** Filters as a text that can be pasted into a command line. */
export function filtersAsFlags(filters: WrittenFilters): string {
  return quoteCommand(flagsOfFilters(filters));
}

/** The error of a library function in words of flags. */
export function inFlagWords(error: InputError): UsageError {
  const { input, value, suggestions } = error;
  return new UsageError(error.say(flagOf), {
    suggestions,
    ...(input !== undefined && { flag: flagOf(input) }),
    ...(value !== undefined && { value }),
  });
}
