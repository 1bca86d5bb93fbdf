import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Context } from "../../cli/context.ts";
import { flagError } from "../../cli/flags/values.ts";
import type { QuestionOptions } from "../../cli/question/declaration.ts";
import { parseQuestion, type QuestionFlags } from "../../cli/question/question-flags.ts";
import { UsageError } from "../../contract/errors.ts";
import { isDateExpression } from "../../contract/values/date-expression.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { WHY_COLUMNS } from "./columns.ts";

export interface WhyOptions extends QuestionOptions {
  retailer: string;
  sku: string;
}

export function parseWhyOptions(
  command: CommandUnknownOpts,
  [retailer, sku, ...rest]: readonly string[],
  flags: QuestionFlags,
  context: Context,
): WhyOptions {
  if (retailer === undefined || sku === undefined) {
    throw new UsageError("name a retailer and a sku, as in: catalog why acme B0CHX1W1XY rows.");
  }
  const [first, second] = rest;
  const day = first !== undefined && isDateExpression(first) ? first : undefined;
  const folder = day === undefined ? first : second;
  const extra = rest[day === undefined ? 1 : 2];
  if (extra !== undefined) {
    throw new UsageError(`${quoted(extra)} is one word too many; quote a sku with spaces.`, { value: extra });
  }
  if (flags.retailer !== undefined) {
    throw flagError("--retailer", "has no effect: the first word names the retailer.");
  }
  if (day !== undefined && flags.endDate !== undefined) {
    throw flagError("--end-date", `differs from ${day}; give only one day.`);
  }
  const named = { ...flags, retailer: [retailer], ...(day !== undefined && { endDate: day }) };
  return { ...parseQuestion(command, folder, named, context, { columns: WHY_COLUMNS, maxAge: 14 }), retailer, sku };
}
