import { parse } from "csv-parse/sync";
import { quoted } from "../../cli/flags/values.ts";
import { UsageError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import type { WantedProduct } from "../../folder/prices/basket.ts";
import { LATEST_COLUMNS } from "../latest/options.ts";

/** A line of a basket. */
export interface BasketLine extends WantedProduct {
  /** In the file, from 1. */
  line: number;
}

const COLUMNS = ["sku", "retailer", "quantity"];

/** Baskets are often made from a list of products, whose other columns say nothing about the index. */
const IGNORED: ReadonlySet<string> = new Set([...LATEST_COLUMNS, "product_id", "model_number", "domain", "color"]);

/** Of spreadsheets in some countries, the separator is a semicolon. */
const DELIMITERS = [",", ";", "\t"];

interface Parsed {
  record: string[];
  info: { lines: number };
}

/**
 * Reads a basket: CSV with a header in any order.
 *
 * @param name what errors call the file
 * @throws UsageError naming the line and what was expected
 */
export function parseBasket(text: string, name: string): BasketLine[] {
  const [header, ...records] = parseRecords(text, name);
  const columns = (header?.record ?? []).map((column) => column.trim().toLowerCase());
  checkHeader(columns, name);
  const lines = records.map(({ record, info }) => {
    const cell = (column: string) => record[columns.indexOf(column)]?.trim() ?? "";
    return parseLine({ sku: cell("sku"), retailer: cell("retailer"), quantity: cell("quantity") }, info.lines, name);
  });
  if (lines.length === 0) {
    throw new UsageError(`${name} names no product; write a line for each below the header, as in B0CHX1W1XY.`);
  }
  checkRepeated(lines, name);
  return lines;
}

function parseRecords(text: string, name: string): Parsed[] {
  const end = text.search(/[\r\n]/);
  const first = end < 0 ? text : text.slice(0, end);
  const delimiter = DELIMITERS.find((one) => first.includes(one)) ?? ",";
  try {
    return parse(text, {
      delimiter,
      record_delimiter: ["\r\n", "\n", "\r"],
      info: true,
      skip_empty_lines: true,
    }) as unknown as Parsed[];
  } catch (error) {
    throw new UsageError(`${name} is not CSV: ${(error as Error).message}.`);
  }
}

function checkHeader(columns: readonly string[], name: string): void {
  const expected = `expected sku, and retailer or quantity or both`;
  if (!columns.includes("sku")) {
    const found = columns.length === 0 ? "it is empty" : `it has ${columns.map(quoted).join(", ")}`;
    throw new UsageError(`${name} line 1: the header has no column "sku"; ${expected}, but ${found}.`, {
      suggestions: columns.flatMap((column) => closest(column, ["sku"], 1)),
    });
  }
  const unknown = columns.find((column) => !COLUMNS.includes(column) && !IGNORED.has(column));
  if (unknown !== undefined) {
    throw new UsageError(
      `${name} line 1: a basket has no column ${quoted(unknown)}; ${expected}. Columns of \`catalog latest\` are ignored.`,
      { suggestions: closest(unknown, COLUMNS, 1) },
    );
  }
  const repeated = columns.find((column, index) => COLUMNS.includes(column) && columns.indexOf(column) !== index);
  if (repeated !== undefined) {
    throw new UsageError(`${name} line 1: the header names "${repeated}" twice.`);
  }
}

function parseLine(
  { sku, retailer, quantity }: { sku: string; retailer: string; quantity: string },
  line: number,
  name: string,
): BasketLine {
  if (sku === "") {
    throw new UsageError(`${name} line ${line}: the sku is empty; expected that of a product.`);
  }
  if (quantity !== "" && (!/^\d{1,6}(\.\d{1,3})?$/.test(quantity) || Number(quantity) === 0)) {
    throw new UsageError(
      `${name} line ${line}: the quantity ${quoted(quantity)} is not a number above 0 and below 1000000 with at most three decimals, such as 2 or 0.5.`,
    );
  }
  return { line, sku, retailer: retailer === "" ? undefined : retailer, quantity: quantity || "1" };
}

/** @throws UsageError if two lines may name the same product */
function checkRepeated(lines: readonly BasketLine[], name: string): void {
  const seen = new Map<string, BasketLine[]>();
  for (const one of lines) {
    const earlier = seen.get(one.sku) ?? [];
    const same = earlier.find(
      ({ retailer }) => retailer === undefined || one.retailer === undefined || retailer === one.retailer,
    );
    if (same !== undefined) {
      const where = same.retailer === undefined ? "of every retailer" : `of ${same.retailer}`;
      throw new UsageError(
        `${name} line ${one.line}: ${quoted(one.sku)} is in line ${same.line} already, ${where}; write one line with the sum of the quantities.`,
      );
    }
    seen.set(one.sku, [...earlier, one]);
  }
}
