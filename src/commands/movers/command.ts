import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { columnsHelp, OWN_LIST_COLUMNS } from "../../cli/question/declaration.ts";
import { BOOKMARKS } from "../../cli/question/since.ts";
import { MOVER_COLUMNS } from "./columns.ts";
import { addMoversFlags, type MoversOptions, parseMoversOptions } from "./options.ts";

const load: Run<MoversOptions> = async (...call) => (await import("./question.ts")).askMovers(...call);

export function declare(command: Command, context: Context, run = load): void {
  const declared = addMoversFlags(command)
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "What moved since a day, from a synced folder: the biggest drops and rises of the last known price, new lows, " +
        "and the highest discounts.",
    );
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
  addReportingFlags(
    declared,
    examples,
    `${columnsHelp([...MOVER_COLUMNS, ...OWN_LIST_COLUMNS])}\n\n${BOOKMARKS}`,
  ).action((folder, flags) => run(parseMoversOptions(command, folder, flags, context), context));
}
