import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { Context } from "../../cli/context.ts";
import { addSkusFlag } from "../../cli/flags/filter.ts";
import { type FlagsOf, onlyOption } from "../../cli/flags/values.ts";
import {
  OWN_LIST_COLUMNS,
  PRODUCT_GROUPS,
  type ProductGroup,
  type QuestionOptions,
} from "../../cli/question/declaration.ts";
import { addLastDayFlags, addQuestionFlags, parseQuestion } from "../../cli/question/question-flags.ts";
import { sinceDayOrBookmark } from "../../cli/question/since.ts";
import { MOVER_COLUMNS } from "./columns.ts";

export const MOVER_KINDS = ["drop", "rise", "new_low", "discount"] as const;
export type MoverKind = (typeof MOVER_KINDS)[number];

export interface MoversOptions extends QuestionOptions {
  kinds: readonly MoverKind[];
  groupBy: ProductGroup | undefined;
}

export function addMoversFlags(command: Command) {
  const own = command
    .option(
      "--since <day>",
      "compare with the last price known up to this day: YYYY-MM-DD, 7d, latest-7d (default: latest-7d); last: since the last `--since last` of movers on this folder, or last:NAME of that name",
      sinceDayOrBookmark("--since"),
    )
    .addOption(onlyOption(MOVER_KINDS))
    .addOption(new Option("--group-by <what>", "the biggest of each group").choices(PRODUCT_GROUPS));
  return addQuestionFlags(addSkusFlag(addLastDayFlags(own)), {
    columns: [...MOVER_COLUMNS, ...OWN_LIST_COLUMNS],
    sortExample: "selling_price",
    sortHelp: " within each kind (default: the biggest first)",
    limitHelp: "products of each kind, or of each kind and group (default: 10 in a table on a terminal, else all)",
    maxAge: "14d",
  });
}

export function parseMoversOptions(
  command: CommandUnknownOpts,
  folder: string | undefined,
  flags: FlagsOf<typeof addMoversFlags>,
  context: Context,
): MoversOptions {
  return {
    ...parseQuestion(command, folder, flags, context, { columns: MOVER_COLUMNS, maxAge: 14 }),
    since: flags.since,
    // In this order, and each once.
    kinds: MOVER_KINDS.filter((kind) => flags.only?.includes(kind) ?? true),
    groupBy: flags.groupBy,
  };
}
