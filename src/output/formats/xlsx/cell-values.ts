import { isCalendarDate } from "../../../contract/filters.ts";
import { DAY, dayNumber } from "../../../contract/values/day-arithmetic.ts";
import { isExactDouble } from "../../../contract/values/decimal.ts";

/** Day 0 of a sheet, in days since 1970-01-01. */
export const DAY_ZERO = dayNumber("1899-12-30");

/** The first day that all programs count alike: Excel has a 29 February 1900. */
const FIRST_DAY = "1900-03-01";

/** Bounds of the numbers that Excel reads. */
const LARGEST = 9.99999999999999e307;
const SMALLEST = 2.2250738585072014e-308;

/** Most digits of a number that Excel shows. */
const SHOWN_DIGITS = 15;

/** `YYYY-MM-DD` in days as a sheet counts them; undefined if it has to stay text. */
export function dateSerial(text: string): number | undefined {
  return isCalendarDate(text) && text >= FIRST_DAY ? dayNumber(text) - DAY_ZERO : undefined;
}

/** `YYYY-MM-DD HH:MM:SS.mmm` in days; undefined if it has to stay text, as a time zone and parts of a millisecond do. */
export function timestampSerial(text: string): number | undefined {
  const [, date = "", time] = /^(\S+) (\d\d:\d\d:\d\d(?:\.\d{1,3}0*)?)$/.exec(text) ?? [];
  const day = dateSerial(date);
  const within = Date.parse(`1970-01-01T${time}Z`);
  return day === undefined || Number.isNaN(within) ? undefined : day + within / DAY;
}

/**
 * Whether a sheet keeps a JSON number: a double is equal to it, and if it is an integer, Excel shows none of its digits
 * as a zero instead.
 */
export function isSheetNumber(raw: string): boolean {
  if (raw.length <= SHOWN_DIGITS && !/e/i.test(raw)) {
    return true;
  }
  const value = Number(raw);
  const size = Math.abs(value);
  if (!isExactDouble(raw) || (size !== 0 && (size < SMALLEST || size > LARGEST))) {
    return false;
  }
  return !Number.isInteger(value) || Number(value.toPrecision(SHOWN_DIGITS)) === value;
}
