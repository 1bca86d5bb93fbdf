import { addDays } from "./values/day-arithmetic.ts";

/**
 * The six shared filters, contract section 4.1. An absent member does not restrict. Dates are `YYYY-MM-DD`, inclusive.
 * `rcd` is one or more `retailer:category:department` triples, separated by commas.
 */
export interface Filters {
  retailer?: string;
  category?: string;
  department?: string;
  rcd?: string;
  start_date?: string;
  end_date?: string;
}

export type FilterName = keyof Filters;

/** The filters in the contract's order, which is also the order in a query string. */
export const FILTER_NAMES = [
  "retailer",
  "category",
  "department",
  "rcd",
  "start_date",
  "end_date",
] as const satisfies readonly FilterName[];

/** `--start-date` for `start_date`. */
export function flagOf(name: FilterName): string {
  return `--${name.replaceAll("_", "-")}`;
}

/** A combination of a retailer, a category and the department of that category. */
export interface Rcd {
  retailer: string;
  category: string;
  department: string;
}

/** Parses a `retailer:category:department` triple; undefined unless it has three non-empty parts without white space. */
export function parseRcd(text: string): Rcd | undefined {
  return /^[^\s:,]+:[^\s:,]+:[^\s:,]+$/u.test(text) ? splitRcd(text) : undefined;
}

/**
 * Maximum length of a percent-encoded `rcd` value in one request. RFC 9110 section 4.1 recommends that servers accept
 * URIs of 8,000 octets; the difference is for the path, the prefix of a proxy and the other parameters.
 */
export const RCD_LENGTH = 7_000;

/** Whether `rcd`, the only filter that can be long, fits into one request. */
export function fitsRequest({ rcd = "" }: Filters): boolean {
  return encodeURIComponent(rcd).length <= RCD_LENGTH;
}

/** A combination as a value of the `rcd` filter. */
export function formatRcd({ retailer, category, department }: Rcd): string {
  return `${retailer}:${category}:${department}`;
}

/** Reverses `formatRcd`. */
export function splitRcd(text: string): Rcd {
  const [retailer = "", category = "", department = ""] = text.split(":");
  return { retailer, category, department };
}

const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** Every month has at least this many days. */
const SHORTEST_MONTH = 28;

/** Whether `text` is a date that exists in the calendar, written `YYYY-MM-DD` (ISO 8601). */
export function isCalendarDate(text: string): boolean {
  // Days that exist in every month skip the slow calendar arithmetic, which matters when millions of rows are loaded.
  return DATE.test(text) && (Number(text.slice(8)) <= SHORTEST_MONTH || addDays(text, 0) === text);
}
