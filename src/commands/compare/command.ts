import { type Command, Option } from "commander";
import type { Context, Run } from "../../cli/context.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { columnsHelp } from "../../cli/question/declaration.ts";
import { addQuestionFlags } from "../../cli/question/question-flags.ts";
import { compareColumns } from "./columns.ts";
import { type CompareFlags, type CompareOptions, currencyCode, KEYS, parseCompareOptions } from "./options.ts";

const ALL_COLUMNS = compareColumns(["brand", "title", "sku", "model_number"]);

const DEFINITIONS = `Products are the same if their keys are equal but for case and spaces. A product
without a key is left out. Each retailer has a column price_RETAILER, as in
price_acme: its lowest price.`;

const load: Run<CompareOptions> = async (...call) => (await import("./question.ts")).askCompare(...call);

export function declare(command: Command, context: Context, run = load): void {
  command
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "The same product across retailers, from a synced folder: who is the cheapest, and by how much. A row for each " +
        "product and currency that two retailers or more have.",
    )
    .addOption(
      new Option("--by <key>", "what a product is recognized by at another retailer").choices(KEYS).default(KEYS[0]),
    )
    .option("--rates <file>", "convert prices: CSV with the columns currency and rate, its worth in --currency")
    .option("--currency <code>", "what prices are converted to by --rates, as in EUR", currencyCode);
  addQuestionFlags(command, {
    columns: ALL_COLUMNS,
    sortExample: "spread_percent",
    sortHelp: " (default: the widest spread first)",
    maxAge: "14d",
  });
  const examples = [
    "catalog compare rows",
    "catalog compare rows --by title -n 20",
    "catalog compare rows --by brand,title --category lamps --sort cheapest_price",
    "catalog compare rows --rates rates.csv --currency EUR -o compared.xlsx",
    "catalog compare rows --fail-if 'spread_percent > 40'",
  ];
  addReportingFlags(command, examples, `${DEFINITIONS}\n\n${columnsHelp(ALL_COLUMNS)}`).action(
    (folder: string | undefined, flags: CompareFlags) =>
      run(parseCompareOptions(command, folder, flags, context), context),
  );
}
