import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import { flagError } from "../../cli/flags/values.ts";
import type { ProductGroup, QuestionOptions } from "../../cli/question/declaration.ts";
import { parseQuestion, type QuestionFlags } from "../../cli/question/question-flags.ts";
import { GONE_COLUMNS, groupColumns, LATEST_COLUMNS } from "./columns.ts";

export const PERIODS = ["day", "week", "month"] as const;
export type PricePeriod = (typeof PERIODS)[number];

export interface LatestFlags extends QuestionFlags {
  gone?: boolean;
  groupBy?: ProductGroup;
  by?: PricePeriod;
}

/** Which last known prices `catalog latest` shows, and how. */
export interface LatestOptions extends QuestionOptions {
  gone: boolean;
  groupBy: ProductGroup | undefined;
  by: PricePeriod | undefined;
}

/** Short names for sort orders of products. */
export const LATEST_SORT_WORDS = {
  price: { column: "selling_price", descending: false },
  age: { column: "days_old", descending: true },
} as const;

/** Days for which a price is known, where products are counted or missed. */
const KNOWN_DAYS = 14;

export function parseLatestOptions(
  command: Command,
  folder: string | undefined,
  flags: LatestFlags,
  context: Context,
): LatestOptions {
  const { gone = false, groupBy, by } = flags;
  const hasGroups = groupBy !== undefined || by !== undefined;
  if (gone && hasGroups) {
    throw flagError("--gone", `cannot be combined with ${groupBy === undefined ? "--by" : "--group-by"}.`);
  }
  if (gone && flags.maxAge === "none") {
    throw flagError("--gone", "lists products whose price is older than --max-age; name a number of days.");
  }
  const products = gone ? GONE_COLUMNS : LATEST_COLUMNS;
  return {
    ...parseQuestion(command, folder, flags, context, {
      columns: hasGroups ? groupColumns(groupBy, by) : products,
      sortWords: hasGroups ? {} : LATEST_SORT_WORDS,
      maxAge: gone || hasGroups ? KNOWN_DAYS : undefined,
    }),
    ...{ gone, groupBy, by },
  };
}
