import type { Command, CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Context } from "../../cli/context.ts";
import { parseFilters } from "../../cli/flags/filter.ts";
import { dateExpression, type FlagsOf } from "../../cli/flags/values.ts";
import type { QuestionOptions } from "../../cli/question/declaration.ts";
import { addPeriodFlags, addQuestionFlags, parseQuestion } from "../../cli/question/question-flags.ts";
import type { DateExpression } from "../../contract/values/date-expression.ts";
import { INDEX_COLUMNS } from "./columns.ts";

export function addIndexFlags(command: Command) {
  const own = command.option(
    "--base <day>",
    "the day on which the index is 100: YYYY-MM-DD, 30d, latest-30d (default: the first day)",
    dateExpression("--base"),
  );
  return addQuestionFlags(addPeriodFlags(own), {
    columns: INDEX_COLUMNS,
    sortExample: "crawl_date",
    sortHelp: " (default: retailer, currency and day)",
    maxAge: "14d",
  });
}

/** What `catalog index` computes. The days are not part of the filters, because prices from before the first day still hold on it. */
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
  command: CommandUnknownOpts,
  basket: string,
  folder: string | undefined,
  flags: FlagsOf<typeof addIndexFlags>,
  context: Context,
): IndexOptions {
  const { startDate, endDate, date, base, ...others } = flags;
  // For its errors alone: the start must not be after the end.
  parseFilters(flags, context.now());
  return {
    ...parseQuestion(command, folder, others, context, { columns: INDEX_COLUMNS, maxAge: 14 }),
    ownList: basket,
    base,
    startDate: date ?? startDate,
    endDate: date ?? endDate,
  };
}
