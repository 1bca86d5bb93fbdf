import { type Command, Option } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { flagError, valueError } from "../../cli/flags/values.ts";
import { columnsHelp } from "../../cli/question/question.ts";
import { addLastDayFlags, addQuestionFlags, parseQuestion } from "../../cli/question/question-flags.ts";
import { COMPARE_COLUMNS, type CompareOptions, compareColumns, KEYS, priceOfRetailer } from "./options.ts";

const DEFINITIONS =
  "Products are the same if their keys are equal but for case and spaces. A product without a key is left out. Each retailer has a column price_RETAILER, as in price_acme: its lowest price.";

const load: Run<CompareOptions> = async (...call) => (await import("./question.ts")).askCompare(...call);

export function declare(command: Command, context: Context, run = load): void {
  const own = command
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
  const declared = addQuestionFlags(addLastDayFlags(own), {
    columns: COMPARE_COLUMNS,
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
  addReportingFlags(declared, examples, `${DEFINITIONS}\n\n${columnsHelp(COMPARE_COLUMNS)}`).action((folder, flags) => {
    const { rates, currency } = flags;
    if ((rates === undefined) !== (currency === undefined)) {
      throw rates === undefined
        ? flagError("--currency", "needs --rates FILE: CSV with the columns currency and rate.")
        : flagError("--rates", "needs --currency: the one that prices are converted to, as in --currency EUR.");
    }
    const by = flags.by.split(",");
    // Which retailers there are is only known once the folder is open.
    const written = [flags.columns, flags.sort, flags.failIf].join(" ").matchAll(/\bprice_([^\s,:<>=]+)/g);
    const ofRetailers = [...new Set([...written].map(([, retailer = ""]) => retailer))].map(priceOfRetailer);
    const columns = [...compareColumns(by), ...ofRetailers];
    const options = {
      ...parseQuestion(command, folder, flags, context, { columns, maxAge: 14 }),
      by,
      conversion: rates === undefined || currency === undefined ? undefined : { rates, currency },
    };
    return run(options, context);
  });
}

function currencyCode(text: string): string {
  if (!/^[A-Z]{3}$/.test(text)) {
    throw valueError("--currency", text, "is not a currency; write its three letters: EUR.");
  }
  return text;
}
