import type { Command } from "commander";
import type { Context, Run } from "../../cli/context.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { columnsHelp, OWN_LIST_COLUMNS } from "../../cli/question/declaration.ts";
import { addQuestionFlags } from "../../cli/question/question-flags.ts";
import { HISTORY_COLUMNS } from "./columns.ts";
import { HISTORY_SORT_WORDS, type HistoryFlags, type HistoryOptions, parseHistoryOptions } from "./options.ts";

const load: Run<HistoryOptions> = async (...call) => (await import("./question.ts")).askHistory(...call);

export function declare(command: Command, context: Context, run = load): void {
  command
    .argument("[sku...]", "products by sku, then a folder of `catalog sync` (default: the current folder)")
    .description(
      "The prices of products over their days, from a synced folder: each day, the lowest, the highest, the last, and " +
        "whether the last is a new low. Several products are shown side by side, the cheapest first.",
    )
    .option(
      "--search <words>",
      "products with each of these words in title, brand or model number, or as the beginning of the sku, in any letter case; a number matches whole words",
    )
    .option("--html <file>", "write a page with a chart of the prices; it needs no network");
  addQuestionFlags(command, {
    columns: HISTORY_COLUMNS,
    hasOwnList: true,
    sortExample: "price",
    sortWords: HISTORY_SORT_WORDS,
    hasStartDate: true,
    maxAge: "none",
  });
  addReportingFlags(
    command,
    [
      "catalog history --demo --search headphones",
      "catalog history B0CHX1W1XY rows",
      "catalog history --search SM-A155F rows",
      "catalog history --search 'samsung a15 128gb' rows",
      "catalog history B0CHX1W1XY N53437343A rows --html prices.html",
      "catalog history B0CHX1W1XY rows --start-date 90d -f csv -o prices.csv",
    ],
    columnsHelp([...HISTORY_COLUMNS, ...OWN_LIST_COLUMNS]),
  ).action(async (words: string[], flags: HistoryFlags) =>
    run(await parseHistoryOptions(command, words, flags, context), context),
  );
}
