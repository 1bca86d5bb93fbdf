import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { Context } from "../../cli/context.ts";
import { type FlagsOf, flagError, valueError } from "../../cli/flags/values.ts";
import type { QuestionOptions } from "../../cli/question/declaration.ts";
import { addLastDayFlags, addQuestionFlags, parseQuestion } from "../../cli/question/question-flags.ts";
import { COMPARE_COLUMNS, compareColumns, priceOfRetailer } from "./columns.ts";

/** What a product can be recognized by at another retailer. */
export const KEYS = ["model_number", "sku", "title", "brand,title"] as const;

export function addCompareFlags(command: Command) {
  const own = command
    .addOption(
      new Option("--by <key>", "what a product is recognized by at another retailer").choices(KEYS).default(KEYS[0]),
    )
    .option("--rates <file>", "convert prices: CSV with the columns currency and rate, its worth in --currency")
    .option("--currency <code>", "what prices are converted to by --rates, as in EUR", currencyCode);
  return addQuestionFlags(addLastDayFlags(own), {
    columns: COMPARE_COLUMNS,
    sortExample: "spread_percent",
    sortHelp: " (default: the widest spread first)",
    maxAge: "14d",
  });
}

export interface CompareOptions extends QuestionOptions {
  /** Columns whose values are equal for the same product. */
  by: readonly string[];
  /** How prices are converted; undefined if each currency is compared on its own. */
  conversion: { rates: string; currency: string } | undefined;
}

export function parseCompareOptions(
  command: CommandUnknownOpts,
  folder: string | undefined,
  flags: FlagsOf<typeof addCompareFlags>,
  context: Context,
): CompareOptions {
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
  return {
    ...parseQuestion(command, folder, flags, context, {
      columns: [...compareColumns(by), ...ofRetailers],
      maxAge: 14,
    }),
    by,
    conversion: rates === undefined || currency === undefined ? undefined : { rates, currency },
  };
}

export function currencyCode(text: string): string {
  if (!/^[A-Z]{3}$/.test(text)) {
    throw valueError("--currency", text, "is not a currency; write its three letters: EUR.");
  }
  return text;
}
