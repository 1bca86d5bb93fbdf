import { FILTER_NAMES, type FilterName, type Filters, isCalendarDate, parseRcd } from "../../../contract/filters.ts";
import { quote, ServiceProblem } from "../service-problem.ts";

/** Reads the six shared filters (contract section 4.1). `checkSlugs` later checks whether the slugs exist. */
export function readFilters(parameters: ReadonlyMap<string, string>): Filters {
  const filters: Filters = {};
  for (const name of FILTER_NAMES) {
    const value = parameters.get(name);
    if (value === undefined) {
      continue;
    }
    const error = errorOf(name, value);
    if (error !== undefined) {
      throw new ServiceProblem(name.endsWith("_date") ? "invalid_date_range" : "invalid_request", error, {
        field: name,
      });
    }
    filters[name] = value;
  }
  const { start_date, end_date } = filters;
  if (start_date !== undefined && end_date !== undefined && start_date > end_date) {
    throw new ServiceProblem("invalid_date_range", `start_date ${start_date} is later than end_date ${end_date}.`, {
      field: "start_date",
    });
  }
  return filters;
}

/** What is wrong with the value of a filter; undefined if it is valid. */
function errorOf(name: FilterName, value: string): string | undefined {
  switch (name) {
    case "start_date":
    case "end_date":
      return isCalendarDate(value) ? undefined : `${name} ${quote(value)} is not a calendar date, YYYY-MM-DD.`;
    case "rcd": {
      const wrong = value.split(",").find((text) => /\p{Cc}/u.test(text) || parseRcd(text) === undefined);
      return wrong === undefined ? undefined : `${quote(wrong)} is not a retailer:category:department triple.`;
    }
    default:
      if (/\p{Cc}/u.test(value)) {
        return `The parameter ${name} contains control characters.`;
      }
      return value.trim() === "" ? `The parameter ${name} is empty.` : undefined;
  }
}
