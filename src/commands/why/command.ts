import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { flagError } from "../../cli/flags/values.ts";
import { columnsHelp } from "../../cli/question/question.ts";
import { addLastDayFlags, addQuestionFlags, parseQuestion } from "../../cli/question/question-flags.ts";
import { UsageError } from "../../contract/errors.ts";
import { isDateExpression } from "../../contract/values/date-expression.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { WHY_COLUMNS, type WhyOptions } from "./options.ts";

const RULES = `Rules by which a row is not the price of its day:
  suspect         its price is zero or below, or far from the product's usual one
  dearer          another row of the day is cheaper, or is as cheap and comes first
  other currency  the product had another currency on most of the 28 days before
  no price        its price has more than 14 digits before the point`;

const load: Run<WhyOptions> = async (...call) => (await import("./question.ts")).askWhy(...call);

export function declare(command: Command, context: Context, run = load): void {
  const named = command
    .argument("<words...>", "a retailer, a sku, then a day if you like, and a folder of `catalog sync`")
    .usage("[options] <retailer> <sku> [day] [dir]")
    .description(
      "Where the figures of a product come from: what the other questions say of it on a day (default: the newest), and " +
        "each crawled row up to then with its file, and whether it counts.",
    );
  const declared = addQuestionFlags(addLastDayFlags(named), {
    columns: WHY_COLUMNS,
    sortExample: "crawl_date",
    sortHelp: " (default: the newest day first)",
    maxAge: "14d",
  });
  const examples = [
    "catalog why acme B0CHX1W1XY rows",
    "catalog why acme B0CHX1W1XY 2026-03-31 rows",
    "catalog why acme B0CHX1W1XY rows --columns crawl_date,selling_price,counted,rule,file,sha256 -f csv",
  ];
  addReportingFlags(declared, examples, `${RULES}\n\n${columnsHelp(WHY_COLUMNS)}`).action((words, flags) => {
    const { retailer, sku, day, folder } = namedBy(words);
    const needless = (["retailer", "rcd"] as const).find((name) => flags[name] !== undefined);
    if (needless !== undefined) {
      throw flagError(`--${needless}`, "cannot be given: the first word names the retailer.");
    }
    if (day !== undefined && flags.endDate !== undefined) {
      throw flagError("--end-date", `cannot be combined with the day ${day}.`);
    }
    const named = { ...flags, retailer: [retailer], ...(day !== undefined && { endDate: day }) };
    const question = parseQuestion(command, folder, named, context, { columns: WHY_COLUMNS, maxAge: 14 });
    return run({ ...question, retailer, sku }, context);
  });
}

function namedBy([retailer, sku, ...rest]: readonly string[]) {
  if (retailer === undefined || sku === undefined) {
    throw new UsageError("name a retailer and a sku, as in: catalog why acme B0CHX1W1XY rows.");
  }
  if (retailer === "" || retailer.includes(",")) {
    throw new UsageError(`${quoted(retailer)} is not a retailer; name one.`, { value: retailer });
  }
  const [day, folder, extra] = isDateExpression(rest[0] ?? "") ? rest : [undefined, ...rest];
  if (extra !== undefined) {
    if (day === undefined && isDateExpression(extra)) {
      throw new UsageError(`name the day ${extra} before the folder ${quoted(folder ?? "")}.`);
    }
    const wrong = day === undefined ? `${quoted(folder ?? "")} is not a day` : `${quoted(extra)} is one word too many`;
    throw new UsageError(`${wrong}; quote a sku with spaces.`);
  }
  return { retailer, sku, day, folder };
}
