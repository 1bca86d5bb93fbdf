import { type Command, Option } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addBrandFlag, addFilterFlags, addSkusFlag } from "../../cli/flags/filter.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { flagError } from "../../cli/flags/values.ts";
import { columnsHelp, OWN_LIST_COLUMNS, PRODUCT_GROUPS } from "../../cli/question/question.ts";
import { addQuestionFlags, parseQuestion } from "../../cli/question/question-flags.ts";
import { ALL_COLUMNS, GONE_COLUMNS, groupColumns, LATEST_COLUMNS, type LatestOptions, PERIODS } from "./options.ts";

const DEFINITIONS =
  "The last known price of a product, which is a sku of one retailer, is the lowest price of the newest day that has one. With --group-by or --by, a product counts if its price is known: at most --max-age (14d) old on the newest day, or on the last day of the period. Percentages are exact, rounded to six decimals (one in a table).";

const SORT_WORDS = {
  price: { column: "selling_price", descending: false },
  age: { column: "days_old", descending: true },
} as const;

/** The default of `--max-age` with `--gone`, `--group-by` and `--by`, in days. */
const KNOWN_DAYS = 14;

const load: Run<LatestOptions> = async (...call) => (await import("./question.ts")).askLatest(...call);

export function declare(command: Command, context: Context, run = load): void {
  const own = command
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "The last known price of each product and retailer, from a synced folder, with its day and its age. With " +
        "--group-by, how many products are discounted, and by how much: discounts by brand, category, department or retailer.",
    )
    .addOption(
      new Option("--group-by <what>", "share of discounted products and mean discount of each group").choices(
        PRODUCT_GROUPS,
      ),
    )
    .addOption(
      new Option("--by <period>", "discounts and prices over time: of each day, week or month").choices(PERIODS),
    )
    .option("--gone", "products whose price is no longer known, newest first, and why");
  const columns = [...ALL_COLUMNS, ...OWN_LIST_COLUMNS];
  const declared = addQuestionFlags(addSkusFlag(addBrandFlag(addFilterFlags(own))), {
    columns,
    sortExample: "price",
    sortHelp: ", or price or age (default: retailer and sku; groups: most products first)",
    sortWords: SORT_WORDS,
    maxAge: "none; 14d with --gone, --group-by and --by",
  });
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
  addReportingFlags(declared, examples, `${DEFINITIONS}\n\n${columnsHelp(columns)}`).action((folder, flags) => {
    const { gone = false, groupBy, by } = flags;
    const hasGroups = groupBy !== undefined || by !== undefined;
    if (gone && hasGroups) {
      throw flagError("--gone", `cannot be combined with ${groupBy === undefined ? "--by" : "--group-by"}.`);
    }
    if (gone && flags.maxAge === "none") {
      throw flagError("--gone", "lists products whose price is older than --max-age; name a number of days.");
    }
    const products = gone ? GONE_COLUMNS : LATEST_COLUMNS;
    const question = parseQuestion(command, folder, flags, context, {
      columns: hasGroups ? groupColumns(groupBy, by) : products,
      sortWords: hasGroups ? {} : SORT_WORDS,
      maxAge: gone || hasGroups ? KNOWN_DAYS : undefined,
    });
    return run({ ...question, gone, groupBy, by }, context);
  });
}
