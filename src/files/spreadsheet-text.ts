import { isCalendarDate } from "../contract/filters.ts";
import { RowError, shown } from "./content-error.ts";

/**
 * Where a program may begin a cell: at the start, and after what separates cells or rows in some locale. A program that
 * separates by `;` does not see that a text with a comma or a line break is quoted.
 */
const CELL_START = /(?:^|[;|\t\n\v\f\r\x85\u2028\u2029])[\s,;|"']*/g;

/** Characters that begin a formula. */
const FORMULA = new Set("=+-@＝＋－＠");

const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";

/** A number, a date or a time of day, perhaps with a currency or percent sign: `0062355309`, `12:30 pm`, `$5.00`, `50%`. */
const FIGURE = "[$€£¥]? ?\\d[\\d.,:/ -]*(?: ?(?:[%$€£¥]|[ap]m))?";

/** Text that a spreadsheet reads as a number, a time, a boolean or a date: a figure, `(5)`, `1E5`, `TRUE`, `MAR-10`. */
const VALUE = new RegExp(
  `^(?:${FIGURE}|\\(${FIGURE}\\)|\\d[\\d.,]*e[+-]?\\d+|true|false|\\d{1,4}[-/. ]?${MONTH}[-/. ]?\\d{0,4}|${MONTH}[-/. ]?\\d{1,4})$`,
  "i",
);

/**
 * Protects crawled text from a spreadsheet. Text that would run as a formula gets an apostrophe in front (OWASP, CSV
 * injection), which is visible. Text that would be read as a number or a date, such as an article number with leading
 * zeros, is written as a formula that returns the text: `="0062355309"`. Days (`2026-01-31`) are left as they are,
 * and a spreadsheet may read them as dates.
 */
export function textForSpreadsheet(text: string): string {
  if (VALUE.test(text) && !isCalendarDate(text)) {
    return `="${text}"`;
  }
  return atFormulas(text, (start) => `${start}'`);
}

/** The text that `textForSpreadsheet` protected. */
export function textFromSpreadsheet(text: string): string {
  return /^="([^"]*)"$/.exec(text)?.[1] ?? atFormulas(text, (start) => start.replace(/'$/, ""));
}

/**
 * Returns a function that reads the texts of a file, one after another, which `export --excel` may have protected. It throws
 * a RowError at a text that is protected although an earlier one is not, or the other way round: somebody edited the file.
 *
 * @param isMarked whether the file begins with a byte order mark, as those of `--excel` do
 */
export function spreadsheetTextReader(isMarked: boolean): (text: string, line: number, field: string) => string {
  /** Whether the file is protected; undefined until a text shows it. */
  let isProtected: boolean | undefined;
  return (text, line, field) => {
    const isFormula = text.startsWith('="');
    if (isProtected === false && !isFormula) {
      return text;
    }
    const looksProtected = isProtectedText(text);
    if (!looksProtected && textForSpreadsheet(text) === text) {
      return text;
    }
    isProtected ??= looksProtected && (isFormula || isMarked);
    if (isProtected === looksProtected || (!isProtected && !isFormula)) {
      return isProtected ? textFromSpreadsheet(text) : text;
    }
    const expected = "either all texts protected as by `export --excel`, or none";
    const hint = "write NDJSON, or CSV without --excel";
    throw new RowError({ line, field, expected, found: shown(JSON.stringify(text)), hint });
  };
}

function isProtectedText(text: string): boolean {
  const original = textFromSpreadsheet(text);
  return original !== text && textForSpreadsheet(original) === text;
}

/** Changes the text before each formula of a cell. */
function atFormulas(text: string, change: (start: string) => string): string {
  return text.replace(CELL_START, (start, offset: number) =>
    FORMULA.has(text.charAt(offset + start.length)) ? change(start) : start,
  );
}
