import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import { parseFilters } from "../../cli/flags/filter.ts";
import type { QuestionColumn, QuestionOptions } from "../../cli/question/declaration.ts";
import { parseQuestion, type QuestionFlags } from "../../cli/question/question-flags.ts";
import { RETAILER } from "../../cli/question/shared-columns.ts";
import type { DateExpression } from "../../contract/values/date-expression.ts";

export const INDEX_COLUMNS: readonly QuestionColumn[] = [
  RETAILER,
  { name: "crawl_date", kind: "date", meaning: "a day on which the retailer was crawled" },
  { name: "currency", kind: "text", meaning: "of both values" },
  { name: "index", kind: "number", meaning: "100 * basket_value / base_value, exact to six decimals" },
  { name: "basket_value", kind: "price", meaning: "of the priced products on that day" },
  { name: "products_priced", kind: "integer", meaning: "products with a price on the base day and on that day" },
  { name: "products", kind: "integer", meaning: "products of the basket for this retailer" },
  { name: "base_date", kind: "date", meaning: "the base day" },
  { name: "base_value", kind: "price", meaning: "of the same products on the base day" },
];

export interface IndexFlags extends QuestionFlags {
  base?: DateExpression;
}

/** What `catalog index` computes. The filters have no days: earlier prices are known on the first one. */
export interface IndexOptions extends QuestionOptions {
  /** The basket: a path, or `-` for standard input. */
  ownList: string;
  /** The day on which the index is 100; undefined for the first one with a price. */
  base: DateExpression | undefined;
  /** The first and the last day; undefined for those of the folder. */
  startDate: DateExpression | undefined;
  endDate: DateExpression | undefined;
}

export function parseIndexOptions(
  command: Command,
  basket: string,
  folder: string | undefined,
  flags: IndexFlags,
  context: Context,
): IndexOptions {
  const { startDate, endDate, date, base, ...others } = flags;
  // Refuses wrong days.
  parseFilters(flags, context.now());
  return {
    ...parseQuestion(command, folder, others, context, { columns: INDEX_COLUMNS, maxAge: 14 }),
    ownList: basket,
    base,
    startDate: date ?? startDate,
    endDate: date ?? endDate,
  };
}
