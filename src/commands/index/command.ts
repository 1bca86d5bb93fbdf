import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addBrandFlag, addFilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { dateExpression } from "../../cli/flags/values.ts";
import { columnsHelp } from "../../cli/question/question.ts";
import { addQuestionFlags, parseQuestion } from "../../cli/question/question-flags.ts";
import { INDEX_COLUMNS, type IndexOptions } from "./options.ts";

const DEFINITIONS = `BASKET.csv has these columns, in any order: sku; retailer, or empty for each retailer that has the sku; quantity, or empty for 1; target_price and note, which the index does not need. The letter case of a sku does not matter. A file of \`catalog latest\` is a basket.

On each day a product has its last known price: that of its newest day up to then, if that is not older than --max-age. The index is a Laspeyres index: what the basket costs on a day, in percent of what it cost on the base day, with the quantities of the basket. It compares the same products: those that have a price on both days. There is a row for each retailer, currency and day on which the retailer was crawled. A product without a price on the base day is in no index; a note tells how many. A product counts in its currency of the base day, and has no price on a day on which it is sold in another.`;

const load: Run<IndexOptions> = async (...call) => (await import("./question.ts")).askIndex(...call);

export function declare(command: Command, context: Context, run = load): void {
  const own = command
    .argument(
      "<basket>",
      "a CSV file with the column sku, and retailer and quantity if you like; - reads standard input",
    )
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description("The price of a basket of products, and its price index, by retailer and day, from a synced folder.")
    .option(
      "--base <day>",
      "the day on which the index is 100: YYYY-MM-DD, 30d, latest-30d (default: the first day)",
      dateExpression("--base"),
    );
  const declared = addQuestionFlags(addBrandFlag(addFilterFlags(own)), {
    columns: INDEX_COLUMNS,
    sortExample: "crawl_date",
    sortHelp: " (default: retailer, currency and day)",
    maxAge: "14d",
  });
  const examples = [
    "catalog index basket.csv rows",
    "catalog index basket.csv rows --start-date latest-30d --max-age 7d",
    "catalog index basket.csv rows --base 2026-03-01 --retailer acme -o index.csv",
    "catalog latest rows --category lamps -f csv | catalog index - rows --columns crawl_date,retailer,index,basket_value",
  ];
  addReportingFlags(declared, examples, `${DEFINITIONS}\n\n${columnsHelp(INDEX_COLUMNS)}`).action(
    (basket, folder, flags) => {
      const { startDate, endDate, date, base, ...others } = flags;
      // Only to refuse a start after the end.
      parseFilters(flags, context.now());
      const question = parseQuestion(command, folder, others, context, { columns: INDEX_COLUMNS, maxAge: 14 });
      const days = { base, startDate: date ?? startDate, endDate: date ?? endDate };
      return run({ ...question, ownList: basket, ...days }, context);
    },
  );
}
