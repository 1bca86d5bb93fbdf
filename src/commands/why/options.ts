import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import { flagError } from "../../cli/flags/values.ts";
import type { QuestionColumn, QuestionOptions } from "../../cli/question/declaration.ts";
import { parseQuestion, type QuestionFlags } from "../../cli/question/question-flags.ts";
import { PRODUCT_KEY, REFERENCE_PRICE } from "../../cli/question/shared-columns.ts";
import { UsageError } from "../../contract/errors.ts";
import { isDateExpression } from "../../contract/values/date-expression.ts";
import { quoted } from "../../contract/values/phrases.ts";

export interface WhyOptions extends QuestionOptions {
  retailer: string;
  sku: string;
}

/** What is said of the product; the same on each row. */
export const ANSWER_COLUMNS: readonly QuestionColumn[] = [
  { name: "date", kind: "date", meaning: "day of the last price" },
  { name: "known_price", kind: "price", meaning: "the last price, as in latest" },
  { name: "days_old", kind: "integer", meaning: "days from then to today (UTC), or to the day that is named" },
  { name: "is_known", kind: "boolean", meaning: "whether it is at most --max-age old" },
  { name: "before_date", kind: "date", meaning: "day of the price that was known a week before" },
  { name: "before_selling_price", kind: "price", meaning: "that price, as in movers" },
  { name: "difference", kind: "price", meaning: "known_price - before_selling_price" },
  { name: "percent", kind: "percent", meaning: "change from before_selling_price; null between two currencies" },
  { name: "low_date", kind: "date", meaning: "last day of low_selling_price" },
  { name: "low_selling_price", kind: "price", meaning: "the lowest price in the present currency" },
  { name: "present_since", kind: "date", meaning: "first day of the present price" },
  ...REFERENCE_PRICE,
  { name: "reason", kind: "text", meaning: "why its price is not known: gone, not_crawled or unknown" },
];

export const WHY_COLUMNS: readonly QuestionColumn[] = [
  ...PRODUCT_KEY,
  { name: "title", kind: "text", meaning: "of the crawled row" },
  { name: "crawl_date", kind: "date", meaning: "day of the crawled row" },
  { name: "file", kind: "text", meaning: "the file that it is in" },
  { name: "sha256", kind: "text", meaning: "of the file" },
  { name: "product_id", kind: "text", meaning: "of the crawled row" },
  { name: "currency", kind: "text", meaning: "of the crawled row" },
  { name: "mrp", kind: "price", meaning: "undiscounted price, as crawled" },
  { name: "selling_price", kind: "price", meaning: "price, as crawled" },
  { name: "discount_pct", kind: "number", meaning: "discount, as crawled" },
  { name: "counted", kind: "boolean", meaning: "whether it is the price of its day" },
  { name: "rule", kind: "text", meaning: "why not: suspect, dearer, other currency or no price" },
  { name: "figures", kind: "text", meaning: "which of the following come from it" },
  ...ANSWER_COLUMNS,
];

export function parseWhyOptions(
  command: Command,
  [retailer, sku, ...rest]: readonly string[],
  flags: QuestionFlags,
  context: Context,
): WhyOptions {
  if (retailer === undefined || sku === undefined) {
    throw new UsageError("name a retailer and a sku, as in: catalog why acme B0CHX1W1XY rows.");
  }
  const [first, second] = rest;
  const day = first !== undefined && isDateExpression(first) ? first : undefined;
  const folder = day === undefined ? first : second;
  const extra = rest[day === undefined ? 1 : 2];
  if (extra !== undefined) {
    throw new UsageError(`${quoted(extra)} is one word too many; quote a sku with spaces.`, { value: extra });
  }
  if (flags.retailer !== undefined) {
    throw flagError("--retailer", "has no effect: the first word names the retailer.");
  }
  if (day !== undefined && flags.endDate !== undefined) {
    throw flagError("--end-date", `is another day than ${day}; give only one.`);
  }
  const named = { ...flags, retailer: [retailer], ...(day !== undefined && { endDate: day }) };
  return { ...parseQuestion(command, folder, named, context, { columns: WHY_COLUMNS, maxAge: 14 }), retailer, sku };
}
