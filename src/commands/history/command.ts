import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { columnsHelp, OWN_LIST_COLUMNS } from "../../cli/question/declaration.ts";
import { HISTORY_COLUMNS } from "./columns.ts";
import { addHistoryFlags, type HistoryOptions, parseHistoryOptions } from "./options.ts";

const load: Run<HistoryOptions> = async (...call) => (await import("./question.ts")).askHistory(...call);

export function declare(command: Command, context: Context, run = load): void {
  const declared = addHistoryFlags(command)
    .argument("[sku...]", "products by sku, then a folder of `catalog sync` (default: the current folder)")
    .description(
      "The prices of products over their days, from a synced folder: each day, the lowest, the highest, the last, and " +
        "whether the last is a new low. Several products are shown side by side, the cheapest first.",
    );
  addReportingFlags(
    declared,
    [
      "catalog history --demo --search headphones",
      "catalog history B0CHX1W1XY rows",
      "catalog history --search SM-A155F rows",
      "catalog history --search 'samsung a15 128gb' rows",
      "catalog history B0CHX1W1XY N53437343A rows --html prices.html",
      "catalog history B0CHX1W1XY rows --start-date 90d -f csv -o prices.csv",
    ],
    columnsHelp([...HISTORY_COLUMNS, ...OWN_LIST_COLUMNS]),
  ).action(async (words, flags) => run(await parseHistoryOptions(command, words, flags, context), context));
}
