import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { columnsHelp } from "../../cli/question/declaration.ts";
import { COMPARE_COLUMNS } from "./columns.ts";
import { addCompareFlags, type CompareOptions, parseCompareOptions } from "./options.ts";

const DEFINITIONS = `Products are the same if their keys are equal but for case and spaces. A product
without a key is left out. Each retailer has a column price_RETAILER, as in
price_acme: its lowest price.`;

const load: Run<CompareOptions> = async (...call) => (await import("./question.ts")).askCompare(...call);

export function declare(command: Command, context: Context, run = load): void {
  const declared = addCompareFlags(command)
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "The same product across retailers, from a synced folder: who is the cheapest, and by how much. A row for each " +
        "product and currency that two retailers or more have.",
    );
  const examples = [
    "catalog compare rows",
    "catalog compare rows --by title -n 20",
    "catalog compare rows --by brand,title --category lamps --sort cheapest_price",
    "catalog compare rows --rates rates.csv --currency EUR -o compared.xlsx",
    "catalog compare rows --fail-if 'spread_percent > 40'",
  ];
  addReportingFlags(declared, examples, `${DEFINITIONS}\n\n${columnsHelp(COMPARE_COLUMNS)}`).action((folder, flags) =>
    run(parseCompareOptions(command, folder, flags, context), context),
  );
}
