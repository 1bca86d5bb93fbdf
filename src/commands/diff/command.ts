import { type Command, Option } from "commander";
import type { Context, Run } from "../../cli/context.ts";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import { addPullFlags } from "../../cli/flags/source.ts";
import { dateExpression, onlyOption } from "../../cli/flags/values.ts";
import { columnsHelp, OWN_LIST_COLUMNS } from "../../cli/question/declaration.ts";
import { addQuestionFlags } from "../../cli/question/question-flags.ts";
import { BOOKMARKS, sinceDayOrBookmark } from "../../cli/question/since.ts";
import { DIFF_COLUMNS } from "./columns.ts";
import { CHANGES, DIFF_SORT_WORDS, type DiffFlags, type DiffOptions, parseDiffOptions } from "./options.ts";

const load: Run<DiffOptions> = async (...call) => (await import("./question.ts")).askDiff(...call);

export function declare(command: Command, context: Context, run = load): void {
  command
    .argument("[dir]", "a folder of `catalog sync`, as with --against; alone, its last week is compared")
    .description(
      "What appeared, returned, vanished or changed price between two days. Of a synced folder, the last known price " +
        "of each product on the two days, and why a product is gone; of a service, only the rows " +
        "of the two days. A price changed if its mrp, selling_price, discount_pct or currency changed.",
    )
    .option(
      "--from <day>",
      "the earlier day: YYYY-MM-DD, yesterday, 7d, latest or latest-7d (UTC; of a folder alone: latest-7d)",
      dateExpression("--from"),
    )
    .option(
      "--to <day>",
      "the later day (default: yesterday; with --from latest-Nd, and of a folder alone: latest)",
      dateExpression("--to"),
    )
    .option(
      "--since <day>",
      "stands for --from DAY --to latest; of a folder also last: since the last `diff --since last`, or last:NAME of that name",
      sinceDayOrBookmark("--since"),
    )
    .option("--against <dir>", "a folder of `catalog sync` instead of the service: offline, without a key")
    .option("--strict-days", "compare the rows of the two days alone, not last known prices")
    .addOption(new Option("--as-of").hideHelp())
    .addOption(new Option("--no-as-of").hideHelp())
    .addOption(onlyOption(CHANGES))
    .option("--fail-on-empty", "exit with 7 if one of the days has no rows");
  addQuestionFlags(command, {
    columns: DIFF_COLUMNS,
    hasOwnList: true,
    sortExample: "to_selling_price",
    sortHelp: ", or drop or rise (default: retailer and sku; in a table changed products first)",
    sortWords: DIFF_SORT_WORDS,
    hasOwnDays: true,
    maxAge: "14d",
  });
  addPullFlags(command);
  const examples = [
    "catalog diff --demo --from 13d --to yesterday",
    "catalog diff rows",
    "catalog diff --from 7d --retailer acme",
    "catalog diff --from 2026-03-01 --to 2026-03-08 --department home -o changes.csv",
    "catalog sync rows && catalog diff rows --from 7d",
    "catalog diff rows --from latest-7d --to latest --only appeared --category lamps",
    "catalog diff rows --sort drop --limit 20",
    "catalog diff rows --since last --only appeared,vanished",
    "catalog diff rows --from 2d --fail-if 'percent < -20' -o changes.csv",
  ];
  addGlobalFlags(command, examples, `${columnsHelp([...DIFF_COLUMNS, ...OWN_LIST_COLUMNS])}\n\n${BOOKMARKS}`).action(
    (folder: string | undefined, flags: DiffFlags) => run(parseDiffOptions(command, folder, flags, context), context),
  );
}
