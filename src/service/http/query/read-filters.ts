import { FILTER_NAMES, type FilterName, type Filters, isCalendarDate, parseRcd } from "../../../contract/filters.ts";
import { quote, ServiceProblem } from "../service-problem.ts";

/** Reads the six shared filters (contract section 4.1). `checkSlugs` later checks whether the slugs exist. */
export function readFilters(parameters: ReadonlyMap<string, string>): Filters {
  const filters: Filters = {};
  for (const name of FILTER_NAMES) {
    const value = parameters.get(name);
    if (value !== undefined) {
      CHECKS[name](value, name);
      filters[name] = value;
    }
  }
  const { start_date, end_date } = filters;
  if (start_date !== undefined && end_date !== undefined && start_date > end_date) {
    throw new ServiceProblem("invalid_date_range", `start_date ${start_date} is later than end_date ${end_date}.`, {
      field: "start_date",
    });
  }
  return filters;
}

const CHECKS: Readonly<Record<FilterName, (value: string, name: FilterName) => void>> = {
  retailer: checkSlugText,
  category: checkSlugText,
  department: checkSlugText,
  rcd: checkTripleTexts,
  start_date: checkDateText,
  end_date: checkDateText,
};

function checkSlugText(value: string, name: FilterName): void {
  if (value.trim() === "") {
    throw new ServiceProblem("invalid_request", `The parameter ${name} is empty.`, { field: name });
  }
  if (/\p{Cc}/u.test(value)) {
    throw new ServiceProblem("invalid_request", `The parameter ${name} contains control characters.`, { field: name });
  }
}

function checkTripleTexts(list: string): void {
  for (const text of list.split(",")) {
    if (/\p{Cc}/u.test(text) || parseRcd(text) === undefined) {
      throw new ServiceProblem("invalid_request", `${quote(text)} is not a retailer:category:department triple.`, {
        field: "rcd",
      });
    }
  }
}

function checkDateText(value: string, name: FilterName): void {
  if (!isCalendarDate(value)) {
    throw new ServiceProblem("invalid_date_range", `${name} ${quote(value)} is not a calendar date, YYYY-MM-DD.`, {
      field: name,
    });
  }
}
