import type { Command } from "commander";
import type { Context, Run } from "../../cli/context.ts";
import { addBrandFlag, addPriceDayFlags, addVocabularyFlags } from "../../cli/flags/filter.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { addListFlags } from "../../cli/flags/list.ts";
import { addListOutput, columnsOption } from "../../cli/flags/output.ts";
import { addDemoFlag } from "../../cli/flags/source.ts";
import { HISTORY_COLUMNS, type HistoryFlags, type HistoryOptions, parseHistoryOptions } from "./options.ts";

const load: Run<HistoryOptions> = async (...call) => (await import("./run.ts")).runHistory(...call);

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
  addPriceDayFlags(addBrandFlag(addVocabularyFlags(command)));
  addDemoFlag(
    addListOutput(command).addOption(
      columnsOption("columns of the days, in this order: sku,crawl_date,selling_price", HISTORY_COLUMNS),
    ),
  );
  addListFlags(command, "price", ["price", ...HISTORY_COLUMNS]);
  addReportingFlags(command, [
    "catalog history --demo --search headphones",
    "catalog history B0CHX1W1XY rows",
    "catalog history --search SM-A155F rows",
    "catalog history --search 'samsung a15 128gb' rows",
    "catalog history B0CHX1W1XY N53437343A rows --html prices.html",
    "catalog history B0CHX1W1XY rows --start-date 90d -f csv -o prices.csv",
  ]).action(async (words: string[], flags: HistoryFlags) =>
    run(await parseHistoryOptions(command, words, flags, context), context),
  );
}
