import type { Command } from "commander";
import type { Context, Run } from "../../cli/context.ts";
import { failIfOption } from "../../cli/flags/condition.ts";
import { addBrandFlag, addVocabularyFlags } from "../../cli/flags/filter.ts";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import { addListFlags } from "../../cli/flags/list.ts";
import { addListOutput, columnsOption } from "../../cli/flags/output.ts";
import { addPullFlags, addReadFlags } from "../../cli/flags/source.ts";
import { dateExpression, dayCount, onlyOption } from "../../cli/flags/values.ts";
import { LOOKS, sinceExpression } from "../../cli/source/since-look.ts";
import { CHANGES } from "../../folder/diff/join.ts";
import { DIFF_FIELDS, type DiffFlags, type DiffOptions, parseDiffOptions } from "./options.ts";
import { DIFF_COLUMNS } from "./record.ts";

const load: Run<DiffOptions> = async (...call) => (await import("./run.ts")).runDiff(...call);

export function declare(command: Command, context: Context, run = load): void {
  command
    .argument("[dir]", "a folder of `catalog sync`, as with --against; alone, its last week is compared")
    .description(
      "What appeared, vanished or changed price between two crawl days, joined on retailer and sku. " +
        "A price changed if its mrp, selling_price, discount_pct or currency changed. With a synced folder, --as-of " +
        "compares the last known prices up to each day; this is the default if the two days share few products.",
    )
    .option(
      "--from <day>",
      "the earlier crawl day: YYYY-MM-DD, yesterday, 7d, latest or latest-7d (UTC; of a folder alone: latest-7d)",
      dateExpression("--from"),
    )
    .option("--to <day>", "the later crawl day (default: yesterday; of a folder alone: latest)", dateExpression("--to"))
    .option(
      "--since <day>",
      "stands for --from DAY --to latest; of a folder also last: since the last `diff --since last`, or last:NAME of that name",
      sinceExpression("--since"),
    )
    .option("--against <dir>", "a folder of `catalog sync` instead of the service: offline, without a key")
    .option("--as-of", "compare the last known price of each product up to each day (with --against or --demo)")
    .option("--no-as-of", "compare the rows of the two days themselves")
    .option(
      "--max-age <days>",
      "with --as-of: ignore prices that are older than this, such as 14d; without it no product vanishes",
      dayCount("--max-age"),
    )
    .addOption(onlyOption(CHANGES))
    .addOption(failIfOption(DIFF_FIELDS));
  addBrandFlag(addVocabularyFlags(command));
  addListOutput(command).addOption(
    columnsOption("columns to write, in this order: sku,percent,to_selling_price", DIFF_COLUMNS),
  );
  addPullFlags(command);
  addReadFlags(command, "if one of the days has no rows");
  addListFlags(command, "to_selling_price", ["drop", "rise", ...DIFF_COLUMNS], ", or drop or rise");
  const examples = [
    "catalog diff --demo --from 13d --to yesterday",
    "catalog diff rows",
    "catalog diff --from 7d --retailer acme",
    "catalog diff --from 2026-03-01 --to 2026-03-08 --department home -o changes.csv",
    "catalog sync rows && catalog diff rows --from 7d",
    "catalog diff rows --from latest-7d --to latest --only appeared --category lamps",
    "catalog diff rows --as-of --from latest-7d --to latest --sort drop --limit 20",
    "catalog diff rows --since last --only appeared,vanished --max-age 14d",
    "catalog diff rows --as-of --from 2d --fail-if 'percent < -20' -o changes.csv",
  ];
  addGlobalFlags(command, examples, LOOKS).action((folder: string | undefined, flags: DiffFlags) =>
    run(parseDiffOptions(command, folder, flags, context), context),
  );
}
