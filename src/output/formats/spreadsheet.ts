import { isCalendarDate } from "../../contract/filters.ts";

/** A formula at the beginning, or where a locale whose list separator is the semicolon begins another cell. */
const FORMULA = /(^|;)([\s,;|"']*)(?=[=+\-@＝＋－＠])/g;

const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";

/** Text that a spreadsheet reads as a number, a time, a truth or a date: `0062355309`, `1E5`, `12:30`, `TRUE`, `MAR-10`. */
const VALUE = new RegExp(
  `^(?:\\d[\\d.,:/ -]*|\\d[\\d.,]*e[+-]?\\d+|true|false|\\d{1,4}[-/. ]?${MONTH}[-/. ]?\\d{0,4}|${MONTH}[-/. ]?\\d{1,4})$`,
  "i",
);

/**
 * Crawled text as a spreadsheet keeps it. What it would run as a formula gets an apostrophe before it (OWASP, CSV
 * injection), which is shown; what it would read as a number or a date, so that an article number loses its zeros, is
 * written as a formula that gives the text: `="0062355309"`. Days (`2026-01-31`) may become dates.
 */
export function textForSpreadsheet(text: string): string {
  if (VALUE.test(text) && !isCalendarDate(text)) {
    return `="${text}"`;
  }
  return text.replace(FORMULA, "$1$2'");
}
