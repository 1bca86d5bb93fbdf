import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { columnsHelp, OWN_LIST_COLUMNS } from "../../cli/question/declaration.ts";
import { ALL_COLUMNS } from "./columns.ts";
import { addLatestFlags, type LatestOptions, parseLatestOptions } from "./options.ts";

const DEFINITIONS = `The last known price of a product, which is a sku of one retailer, is the lowest
price of the newest day that has one. With --group-by or --by, a product counts if
its price is known: at most --max-age (14d) old on the newest day, or on the last day
of the period. Percentages are exact, rounded to six decimals (one in a table).`;

const load: Run<LatestOptions> = async (...call) => (await import("./question.ts")).askLatest(...call);

export function declare(command: Command, context: Context, run = load): void {
  const declared = addLatestFlags(command)
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "The last known price of each product and retailer, from a synced folder, with its day and its age. With " +
        "--group-by, how many products are discounted, and by how much: discounts by brand, category, department or retailer.",
    );
  const examples = [
    "catalog latest --demo",
    "catalog latest rows --category lamps --sort price --limit 20",
    "catalog latest rows --brand NAME --max-age 14d -o brand.xlsx",
    "catalog latest rows --end-date 2026-03-31 --columns retailer,sku,selling_price,crawl_date -f csv",
    "catalog latest rows --group-by brand --max-age 7d",
    "catalog latest rows --group-by category --retailer acme --sort discounted_percent:desc",
    "catalog latest rows --group-by category --by week",
    "catalog latest rows --gone --retailer acme",
  ];
  addReportingFlags(
    declared,
    examples,
    `${DEFINITIONS}\n\n${columnsHelp([...ALL_COLUMNS, ...OWN_LIST_COLUMNS])}`,
  ).action((folder, flags) => run(parseLatestOptions(command, folder, flags, context), context));
}
