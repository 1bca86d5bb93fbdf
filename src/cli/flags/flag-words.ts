import { type InputError, UsageError } from "../../contract/errors.ts";
import { FILTER_NAMES } from "../../contract/filters.ts";
import { quoteCommand } from "../../contract/values/quote-command.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";

/** The flag for an input: `--start-date` for `start_date`. */
export function flagOf(input: string): string {
  return `--${input.replaceAll("_", "-")}`;
}

export function flagsOfFilters(filters: WrittenFilters): string[] {
  return FILTER_NAMES.flatMap((name) => {
    const value = filters[name];
    return value === undefined ? [] : [flagOf(name), [value].flat().join(",")];
  });
}

/** @param brands those of `--brand`, which is no filter of the API */
export function filtersAsFlags(filters: WrittenFilters, brands: readonly string[] = []): string {
  return quoteCommand([...flagsOfFilters(filters), ...brands.flatMap((brand) => ["--brand", brand])]);
}

/** The error of a library function, with flags in place of the names of inputs. */
export function inFlagWords(error: InputError): UsageError {
  const { input, value, suggestions } = error;
  return new UsageError(error.say(flagOf), {
    suggestions,
    ...(input !== undefined && { flag: flagOf(input) }),
    ...(value !== undefined && { value }),
  });
}
