import type { ResolvedFilters } from "../../../contract/envelope.ts";
import { isCalendarDate, parseRcd, type Rcd } from "../../../contract/filters.ts";
import type { SelectionFilters } from "../../store/store.ts";
import { quote, ServiceProblem } from "../service-problem.ts";

type Parameters = ReadonlyMap<string, string>;

export interface ReadFilters {
  filters: SelectionFilters;
  /** `meta.resolved`, as sent. */
  resolved: ResolvedFilters;
}

/** Reads the six shared filters (contract section 4.1). `checkSlugs` later checks whether the slugs exist. */
export function readFilters(parameters: Parameters): ReadFilters {
  const retailer = readSlug(parameters, "retailer");
  const category = readSlug(parameters, "category");
  const department = readSlug(parameters, "department");
  const combinations = readCombinations(parameters.get("rcd"));
  const startDate = readDate(parameters, "start_date");
  const endDate = readDate(parameters, "end_date");
  if (startDate !== undefined && endDate !== undefined && startDate > endDate) {
    throw new ServiceProblem("invalid_date_range", `start_date ${startDate} is later than end_date ${endDate}.`, {
      field: "start_date",
    });
  }
  return {
    filters: { retailer, category, department, combinations, startDate, endDate },
    resolved: {
      retailer: retailer ?? null,
      category: category ?? null,
      department: department ?? null,
      rcd: parameters.get("rcd") ?? null,
      start_date: startDate ?? null,
      end_date: endDate ?? null,
    },
  };
}

function readSlug(parameters: Parameters, name: "retailer" | "category" | "department"): string | undefined {
  const value = parameters.get(name);
  if (value?.trim() === "") {
    throw new ServiceProblem("invalid_request", `The parameter ${name} is empty.`, { field: name });
  }
  if (value !== undefined && /\p{Cc}/u.test(value)) {
    throw new ServiceProblem("invalid_request", `The parameter ${name} contains control characters.`, { field: name });
  }
  return value;
}

function readCombinations(list: string | undefined): Rcd[] | undefined {
  return list?.split(",").map((text) => {
    const combination = /\p{Cc}/u.test(text) ? undefined : parseRcd(text);
    if (combination === undefined) {
      throw new ServiceProblem("invalid_request", `${quote(text)} is not a retailer:category:department triple.`, {
        field: "rcd",
      });
    }
    return combination;
  });
}

function readDate(parameters: Parameters, name: "start_date" | "end_date"): string | undefined {
  const value = parameters.get(name);
  if (value !== undefined && !isCalendarDate(value)) {
    throw new ServiceProblem("invalid_date_range", `${name} ${quote(value)} is not a calendar date, YYYY-MM-DD.`, {
      field: name,
    });
  }
  return value;
}
