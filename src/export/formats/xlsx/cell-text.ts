import { isCalendarDate } from "../../../contract/filters.ts";
import { DAY, dayNumber } from "../../../contract/values/day-arithmetic.ts";
import { isExactDouble } from "../../../contract/values/decimal.ts";

/** Maximum number of characters in a cell, in UTF-16 code units. */
export const LONGEST_TEXT = 32_767;

const XML_ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;" };

/** Text as the value of an attribute. */
export function attributeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => XML_ENTITIES[character] ?? "");
}

/**
 * Text as a cell holds it (ISO/IEC 29500-1, 22.9.2.19): a character that XML lacks is `_xHHHH_`, and a text that looks
 * like one of these has its underscore escaped. A line end is a reference, so that each row of a sheet is one line.
 */
export function cellText(text: string): string {
  return (
    text
      .replace(/_(?=x[\dA-Fa-f]{4}_)/g, "_x005F_")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what XML lacks.
      .replace(/[\x00-\x08\x0b-\x1f\ufffe\uffff]/g, (character) => {
        return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
      })
      .replace(/[&<>\n]/g, (character) => XML_ENTITIES[character] ?? "")
  );
}

/** The text that a cell can hold: the first 32,767 characters, without half of a surrogate pair at the end. */
export function cutText(text: string): string {
  const cut = text.slice(0, LONGEST_TEXT);
  return cut.length < text.length && /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Maximum number of characters in the address of a link. */
const LONGEST_TARGET = 2_079;

/**
 * The address as a link holds it; undefined if it has to stay text. Excel repairs a workbook whose links hold characters
 * that RFC 3986 does not allow, so these are escaped.
 */
export function linkTarget(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    return undefined;
  }
  const [, origin = "", rest = ""] = /^([^/]*\/\/[^/?#]*)(.*)$/.exec(new URL(address).href) ?? [];
  const target = origin + rest.replace(/["<>[\\\]^`{|}]|%(?![\da-f]{2})/gi, encodeURIComponent);
  return target.length > LONGEST_TARGET ? undefined : target;
}

/** Day 0 of a sheet, in days since 1970-01-01. */
export const DAY_ZERO = dayNumber("1899-12-30");

/** The first day that all programs count alike: Excel has a 29 February 1900. */
const FIRST_DAY = "1900-03-01";

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

/** Bounds of the numbers that Excel reads. */
const LARGEST = 9.99999999999999e307;
const SMALLEST = 2.2250738585072014e-308;

/** Maximum number of digits that Excel shows. */
const SHOWN_DIGITS = 15;

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
