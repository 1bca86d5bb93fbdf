import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { Context } from "../../cli/context.ts";
import { addSkusFlag } from "../../cli/flags/filter.ts";
import { type FlagsOf, flagError } from "../../cli/flags/values.ts";
import {
  OWN_LIST_COLUMNS,
  PRODUCT_GROUPS,
  type ProductGroup,
  type QuestionOptions,
} from "../../cli/question/declaration.ts";
import { addPeriodFlags, addQuestionFlags, parseQuestion } from "../../cli/question/question-flags.ts";
import { ALL_COLUMNS, GONE_COLUMNS, groupColumns, LATEST_COLUMNS } from "./columns.ts";

export const PERIODS = ["day", "week", "month"] as const;
export type PricePeriod = (typeof PERIODS)[number];

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

export function addLatestFlags(command: Command) {
  const own = command
    .addOption(
      new Option("--group-by <what>", "share of discounted products and mean discount of each group").choices(
        PRODUCT_GROUPS,
      ),
    )
    .addOption(
      new Option("--by <period>", "discounts and prices over time: of each day, week or month").choices(PERIODS),
    )
    .option("--gone", "products whose price is no longer known, newest first, and why");
  return addQuestionFlags(addSkusFlag(addPeriodFlags(own)), {
    columns: [...ALL_COLUMNS, ...OWN_LIST_COLUMNS],
    sortExample: "price",
    sortHelp: ", or price or age (default: retailer and sku; groups: most products first)",
    sortWords: LATEST_SORT_WORDS,
    maxAge: "none; 14d with --gone, --group-by and --by",
  });
}

/** Days for which a price is known, where products are counted or missed. */
const KNOWN_DAYS = 14;

export function parseLatestOptions(
  command: CommandUnknownOpts,
  folder: string | undefined,
  flags: FlagsOf<typeof addLatestFlags>,
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
