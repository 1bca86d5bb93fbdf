import { type Command, Option } from "commander";
import type { Context, Run } from "../../cli/context.ts";
import { addBrandFlag, addVocabularyFlags } from "../../cli/flags/filter.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { addDemoFlag } from "../../cli/flags/source.ts";
import { collectValues, dayCount, wholeNumber } from "../../cli/flags/values.ts";
import { LOOKS, sinceExpression } from "../../cli/source/since-look.ts";
import { FIGURES } from "./figures.ts";
import { parseReportOptions, type ReportFlags, type ReportOptions } from "./options.ts";

const width = Math.max(...Object.keys(FIGURES).map((name) => name.length)) + 2;

const FIGURE_LIST = `Figures of --fail-if:
${Object.entries(FIGURES)
  .map(([name, meaning]) => `  ${name.padEnd(width)}${meaning}`)
  .join("\n")}`;

const load: Run<ReportOptions> = async (...call) => (await import("./run.ts")).runReport(...call);

export function declare(command: Command, context: Context, run = load): void {
  command
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "One report of a synced folder: drops and rises of the last known prices, new lows, new and gone products, how fresh " +
        "each retailer is, and discounts by brand. Without --html it is a short text for a mail, on standard output.",
    )
    .option(
      "--since <day>",
      "compare with the last price known up to this day: YYYY-MM-DD, 7d, latest-7d (default: latest-7d, or the first day of a younger folder); last or last:NAME: since the last report",
      sinceExpression("--since"),
    )
    .option("--html <file>", "write a page in one file, with a small chart for each product; it needs no network")
    .option("--text", "with --html: write the text to standard output, too")
    .option("--no-clobber", "refuse to replace an existing page")
    .option(
      "--max-age <days>",
      "a product is gone if it was not seen for this long (default: 14d)",
      dayCount("--max-age"),
    )
    .option(
      "--stale-after <days>",
      "a retailer is stale if its newest row is older than this (default: 2d)",
      dayCount("--stale-after"),
    )
    .addOption(
      new Option(
        "--fail-if <condition>",
        "exit with 8 if the figures meet it, as in 'drops > 100 and biggest_drop < -30'; repeatable: any of them",
      ).argParser(collectValues),
    )
    .option(
      "-n, --limit <n>",
      "products of each list, and brands; the text has at most 5",
      wholeNumber("--limit", 1),
      10,
    );
  addDemoFlag(addBrandFlag(addVocabularyFlags(command)));
  addReportingFlags(
    command,
    [
      "catalog report --demo",
      "catalog report rows --html morning.html",
      "catalog report rows --since latest-1d --retailer acme --html acme.html --limit 50",
      "catalog report rows --html morning.html --text | mail -s 'prices this morning' ada",
      "catalog report rows --html morning.html --fail-if 'stale > 0' --fail-if 'biggest_drop < -60'",
    ],
    `${FIGURE_LIST}\n\n${LOOKS}`,
  ).action((folder: string | undefined, flags: ReportFlags) =>
    run(parseReportOptions(command, folder, flags, context), context),
  );
}
