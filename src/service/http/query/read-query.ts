import {
  FILTER_NAMES,
  type FilterName,
  type Filters,
  isCalendarDate,
  parseRcd,
  type Rcd,
} from "../../../contract/filters.ts";
import { LIMITS } from "../../../contract/limits.ts";
import { describeUnknown, findUnknownValue } from "../../../contract/unknown-value.ts";
import { closest } from "../../../contract/values/closest.ts";
import { quoted } from "../../../contract/values/phrases.ts";
import { ServiceProblem } from "../service-problem.ts";

/** Reads the query of a request. Invalid parts are refused: an ignored filter would return rows that nobody asked for. */
export function readQuery(target: string, allowed: readonly string[]): Map<string, string> {
  if (target.includes("#")) {
    throw new ServiceProblem("invalid_request", 'A request target has no fragment. Write "#" in a value as %23.');
  }
  const query = target.replace(/^[^?]*\??/, "");
  const parameters = new Map<string, string>();
  for (const pair of query.split("&").filter((text) => text !== "")) {
    const [, rawName = "", rawValue = ""] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    const name = decodeFormText(rawName, rawName);
    const value = decodeFormText(rawValue, name);
    if (!allowed.includes(name)) {
      throw new ServiceProblem("invalid_request", `There is no parameter ${quoted(name)} here.`, {
        field: name,
        validOptions: validOptions(name, allowed),
      });
    }
    if (parameters.has(name)) {
      throw new ServiceProblem("invalid_request", `The parameter ${name} was sent more than once.`, { field: name });
    }
    parameters.set(name, value);
  }
  return parameters;
}

/** Decodes `application/x-www-form-urlencoded`. @param field for the error */
function decodeFormText(text: string, field: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new ServiceProblem("invalid_request", "The parameter is not valid percent-encoded UTF-8.", { field });
  }
}

/** Reads the six shared filters (contract section 4.1). `checkSlugs` checks whether the slugs exist. */
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
      return isCalendarDate(value) ? undefined : `${name} ${quoted(value)} is not a calendar date, YYYY-MM-DD.`;
    case "rcd": {
      const wrong = value.split(",").find((text) => /\p{Cc}/u.test(text) || parseRcd(text) === undefined);
      return wrong === undefined ? undefined : `${quoted(wrong)} is not a retailer:category:department triple.`;
    }
    default:
      if (/\p{Cc}/u.test(value)) {
        return `The parameter ${name} contains control characters.`;
      }
      return value.trim() === "" ? `The parameter ${name} is empty.` : undefined;
  }
}

export function readLimit(parameters: ReadonlyMap<string, string>): number {
  const text = parameters.get("limit");
  if (text === undefined) {
    return LIMITS.pageSize.default;
  }
  const { minimum, maximum } = LIMITS.pageSize;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(limit >= minimum && limit <= maximum)) {
    const detail = `limit ${quoted(text)} is not a whole number from ${minimum} to ${maximum}.`;
    throw new ServiceProblem("invalid_request", detail, { field: "limit" });
  }
  return limit;
}

/** Refuses slugs and triples that are in no combination that the team can see (contract section 4.1). */
export function checkSlugs(filters: Filters, vocabulary: readonly Rcd[]): void {
  const unknown = findUnknownValue(filters, vocabulary);
  if (unknown !== undefined) {
    const { part, filter, value, candidates } = unknown;
    throw new ServiceProblem(`unknown_${part}`, `There is no ${describeUnknown(unknown)}.`, {
      field: filter,
      validOptions: validOptions(value, candidates),
    });
  }
}

/** The maximum number of values that a problem suggests. */
const OPTIONS = 5;

/** The values of `vocabulary` closest to `sent`, best first, at most five. If none is close, the first five. */
export function validOptions(sent: string, vocabulary: Iterable<string>): string[] {
  const valid = [...new Set(vocabulary)].sort();
  const near = closest(sent, valid, OPTIONS);
  return near.length > 0 ? near : valid.slice(0, OPTIONS);
}
