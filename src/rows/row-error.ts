import { isCalendarDate } from "../contract/filters.ts";
import { ROW_BOUNDS } from "../contract/limits.ts";
import { PRODUCT_COLUMNS, productSchema } from "../contract/product.ts";
import type { RowBatch } from "./batch.ts";
import { QUOTE, startsNumber } from "./json-bytes.ts";

const LONGEST_NUMBER = ROW_BOUNDS.numberCharacters;

const LETTER_N = 110;

/** Expected type of each column, as errors name it. */
const COLUMN_KINDS = PRODUCT_COLUMNS.map((name) => {
  const property: { type: string | readonly string[]; format?: string } = productSchema.properties[name];
  if (property.type === "number") {
    return "a number";
  }
  return property.format === "date" ? "a date" : property.type.includes("null") ? "a string or null" : "a string";
});

/**
 * Checks rows against contract section 2.1: each has its 17 members, and each value has its type.
 *
 * @param rows with the columns of the contract
 * @returns what is wrong with the first bad row, naming row and member; undefined if all are good
 */
export function findRowError(rows: RowBatch): string | undefined {
  const dates = new Set<string>();
  const { bytes } = rows;
  for (let row = 0; row < rows.length; row += 1) {
    for (let column = 0; column < COLUMN_KINDS.length; column += 1) {
      const start = rows.valueStart(row, column);
      const kind = COLUMN_KINDS[column] ?? "";
      // The start of a missing member is 0, where no value begins.
      const fits = isOfKind(bytes[start] as number, kind);
      if (!fits || (kind === "a number" && rows.valueEnd(row, column) - start > LONGEST_NUMBER)) {
        return errorIn(rows, row, column);
      }
    }
    if (!isDate(rows, row, dates)) {
      return errorIn(rows, row, DATE_COLUMN);
    }
  }
  return undefined;
}

function isOfKind(first: number, kind: string): boolean {
  return kind === "a number"
    ? startsNumber(first)
    : first === QUOTE || (kind === "a string or null" && first === LETTER_N);
}

const ID_COLUMN = PRODUCT_COLUMNS.indexOf("product_id");
const DATE_COLUMN = PRODUCT_COLUMNS.indexOf("crawl_date");

/**
 * Whether `crawl_date`, known to be a string, is a valid date.
 *
 * @param known dates that were found valid, as JSON text
 */
function isDate(rows: RowBatch, row: number, known: Set<string>): boolean {
  if (row > 0 && rows.isAsBefore(row, DATE_COLUMN)) {
    return true;
  }
  const raw = rows.raw(row, DATE_COLUMN) as string;
  if (!known.has(raw) && !isCalendarDate(JSON.parse(raw) as string)) {
    return false;
  }
  known.add(raw);
  return true;
}

function errorIn(rows: RowBatch, row: number, column: number): string {
  const place = `\`data[${row}].${PRODUCT_COLUMNS[column]}\``;
  const named = column === ID_COLUMN ? "" : ` (product_id ${rows.raw(row, ID_COLUMN)?.slice(0, 80)})`;
  const raw = rows.raw(row, column);
  if (raw === undefined) {
    return `${place} is missing${named}`;
  }
  const kind = COLUMN_KINDS[column] ?? "";
  return kind === "a number" && startsNumber(raw.charCodeAt(0))
    ? `${place} is a number with ${raw.length} characters; at most ${LONGEST_NUMBER} are accepted${named}`
    : `${place} is not ${kind}${named}`;
}
