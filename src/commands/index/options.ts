import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import { parseFilters } from "../../cli/flags/filter.ts";
import type { QuestionOptions } from "../../cli/question/declaration.ts";
import { parseQuestion, type QuestionFlags } from "../../cli/question/question-flags.ts";
import type { DateExpression } from "../../contract/values/date-expression.ts";
import { INDEX_COLUMNS } from "./columns.ts";

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
