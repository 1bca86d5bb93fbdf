import { type Command, Option } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addSkusFlag } from "../../cli/flags/filter.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { onlyOption } from "../../cli/flags/values.ts";
import { columnsHelp, OWN_LIST_COLUMNS, PRODUCT_GROUPS } from "../../cli/question/question.ts";
import { addLastDayFlags, addQuestionFlags, parseQuestion } from "../../cli/question/question-flags.ts";
import { BOOKMARKS, sinceDayOrBookmark } from "../../cli/question/since.ts";
import { MOVER_COLUMNS, MOVER_KINDS, type MoversOptions } from "./options.ts";

const load: Run<MoversOptions> = async (...call) => (await import("./question.ts")).askMovers(...call);

const ALL_COLUMNS = [...MOVER_COLUMNS, ...OWN_LIST_COLUMNS];

export function declare(command: Command, context: Context, run = load): void {
  const own = command
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "What moved since a day, from a synced folder: the biggest drops and rises of the last known price, new lows, " +
        "and the highest discounts.",
    )
    .option(
      "--since <day>",
      "compare with the last price known up to this day: YYYY-MM-DD, 7d, latest-7d (default: latest-7d); last: since the last `--since last` of movers on this folder, or last:NAME of that name",
      sinceDayOrBookmark("--since"),
    )
    .addOption(onlyOption(MOVER_KINDS))
    .addOption(new Option("--group-by <what>", "the biggest of each group").choices(PRODUCT_GROUPS));
  const declared = addQuestionFlags(addSkusFlag(addLastDayFlags(own)), {
    columns: ALL_COLUMNS,
    sortExample: "selling_price",
    sortHelp: " within each kind (default: the biggest first)",
    limitHelp: "products of each kind, or of each kind and group (default: 10 in a table on a terminal, else all)",
    maxAge: "14d",
  });
  const examples = [
    "catalog movers --demo",
    "catalog movers rows --only drop --limit 20",
    "catalog movers rows --only drop --columns sku,title,percent,selling_price,url -f csv",
    "catalog movers rows --since latest-1d --retailer acme --group-by category",
    "catalog movers rows --only drop --group-by brand --limit 3",
    "catalog movers rows --since last --only drop",
    "catalog movers rows --since last:mail -f csv -o moved.csv",
    "catalog movers rows --since latest-1d --fail-if 'percent < -20' -o fell.csv; test $? -ne 8 || mail -s 'prices fell' ada < fell.csv",
  ];
  addReportingFlags(declared, examples, `${columnsHelp(ALL_COLUMNS)}\n\n${BOOKMARKS}`).action((folder, flags) =>
    run(
      {
        ...parseQuestion(command, folder, flags, context, { columns: MOVER_COLUMNS, maxAge: 14 }),
        since: flags.since,
        // Without repeated kinds, in the order of the tables.
        kinds: MOVER_KINDS.filter((kind) => flags.only?.includes(kind) ?? true),
        groupBy: flags.groupBy,
      },
      context,
    ),
  );
}
