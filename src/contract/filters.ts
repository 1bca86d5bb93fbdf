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

/** A combination: a retailer, a category and the department of the category. */
export interface Rcd {
  retailer: string;
  category: string;
  department: string;
}

/**
 * Reads one `retailer:category:department` triple.
 *
 * @returns undefined if the text is not three non-empty parts without white space.
 */
export function parseRcd(text: string): Rcd | undefined {
  return /^[^\s:,]+:[^\s:,]+:[^\s:,]+$/u.test(text) ? splitRcd(text) : undefined;
}

/**
 * Longest `rcd` value of one request, in characters, percent-encoded. RFC 9110 section 4.1 recommends that recipients
 * accept 8,000 octets. The rest is for the path, the prefix of a proxy and the other parameters.
 */
export const RCD_LENGTH = 7_000;

/** Whether one request can carry the filters. */
export function fitsRequest({ rcd = "" }: Filters): boolean {
  return encodeURIComponent(rcd).length <= RCD_LENGTH;
}

/** Writes a combination in the form of the `rcd` filter. */
export function formatRcd({ retailer, category, department }: Rcd): string {
  return `${retailer}:${category}:${department}`;
}

/** The parts of a combination that `formatRcd` wrote. */
export function splitRcd(text: string): Rcd {
  const [retailer = "", category = "", department = ""] = text.split(":");
  return { retailer, category, department };
}

/** The date of a day that a month may have. */
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
/** Days that each month has. */
const SHORTEST_MONTH = 28;

/** Whether `text` is a date that exists in the calendar, written `YYYY-MM-DD` (ISO 8601). */
export function isCalendarDate(text: string): boolean {
  // Most dates need no calendar, which takes long for the rows of a load.
  return DATE.test(text) && (Number(text.slice(8)) <= SHORTEST_MONTH || addDays(text, 0) === text);
}
