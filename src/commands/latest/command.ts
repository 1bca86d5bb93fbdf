import { type Command, Option } from "commander";
import type { Context, Run } from "../../cli/context.ts";
import { addBrandFlag, addFilterFlags } from "../../cli/flags/filter.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { addListFlags } from "../../cli/flags/list.ts";
import { addLinksFlag, addListOutput, TABLE_FORMATS } from "../../cli/flags/output.ts";
import { addDemoFlag } from "../../cli/flags/source.ts";
import { dayCount, NamesOption } from "../../cli/flags/values.ts";
import { PRODUCT_GROUPS } from "../../folder/prices/observation.ts";
import { GROUP_COLUMNS, LATEST_COLUMNS, type LatestFlags, type LatestOptions, parseLatestOptions } from "./options.ts";

const DEFINITIONS = `The last known price of a product, which is a sku of one retailer, is the cheapest
row of its newest day. days_old is its age: the days from that day to today (UTC),
or to --end-date.

With --group-by, the products of a group are those whose last known price is not
older than --max-age; without --max-age, all. Columns:
  products             number of products
  discounted_products  those whose discount_pct is above 0
  discounted_percent   their share of the products, in percent
  mean_discount_pct    mean of discount_pct over the discounted products alone;
                       each counts once; null if there are none
Both percentages are exact, rounded to six decimals (one in a table).`;

const load: Run<LatestOptions> = async (...call) => (await import("./run.ts")).runLatest(...call);

export function declare(command: Command, context: Context, run = load): void {
  command
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "The last known price of each product and retailer, from a synced folder, with its day and its age. With " +
        "--group-by, how many products are discounted, and by how much: discounts by brand, category, department or retailer.",
    )
    .addOption(
      new Option("--group-by <what>", "share of discounted products and mean discount of each").choices(PRODUCT_GROUPS),
    )
    .option("--max-age <days>", "leave out prices that are older than this, such as 14d", dayCount("--max-age"));
  addBrandFlag(addFilterFlags(command));
  const columns = [...LATEST_COLUMNS, ...PRODUCT_GROUPS, ...GROUP_COLUMNS].filter(
    (name, at, all) => all.indexOf(name) === at,
  );
  addDemoFlag(
    addLinksFlag(addListOutput(command, TABLE_FORMATS)).addOption(
      new NamesOption("--columns <names>", "columns to write, in this order: sku,selling_price,crawl_date", columns),
    ),
  );
  addListFlags(
    command,
    "price",
    ["price", "age", ...columns],
    ", or price or age (default: retailer and sku; of groups: the most products first)",
  );
  const examples = [
    "catalog latest --demo",
    "catalog latest rows --category lamps --sort price --limit 20",
    "catalog latest rows --brand NAME --max-age 14d -o brand.xlsx",
    "catalog latest rows --end-date 2026-03-31 --columns retailer,sku,selling_price,crawl_date -f csv",
    "catalog latest rows --group-by brand --max-age 7d",
    "catalog latest rows --group-by category --retailer acme --sort discounted_percent:desc",
  ];
  addReportingFlags(command, examples, DEFINITIONS).action((folder: string | undefined, flags: LatestFlags) =>
    run(parseLatestOptions(command, folder, flags, context), context),
  );
}
