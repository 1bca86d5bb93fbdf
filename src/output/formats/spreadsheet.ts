import { isCalendarDate } from "../../contract/filters.ts";

/** A formula at the start, or after a semicolon, which separates cells in some locales. */
const FORMULA = /(^|;)([\s,;|"']*)(?=[=+\-@＝＋－＠])/g;

const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";

/** Text that a spreadsheet reads as a number, a time, a boolean or a date: `0062355309`, `1E5`, `12:30`, `TRUE`, `MAR-10`. */
const VALUE = new RegExp(
  `^(?:\\d[\\d.,:/ -]*|\\d[\\d.,]*e[+-]?\\d+|true|false|\\d{1,4}[-/. ]?${MONTH}[-/. ]?\\d{0,4}|${MONTH}[-/. ]?\\d{1,4})$`,
  "i",
);

/**
 * Protects crawled text from a spreadsheet. Text that would run as a formula gets an apostrophe in front (OWASP, CSV
 * injection), which is visible. Text that would be read as a number or a date, such as an article number with leading
 * zeros, is written as a formula that returns the text: `="0062355309"`. Days (`2026-01-31`) may become dates.
 */
export function textForSpreadsheet(text: string): string {
  if (VALUE.test(text) && !isCalendarDate(text)) {
    return `="${text}"`;
  }
  return text.replace(FORMULA, "$1$2'");
}
