import { type Command, Option } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { parseCondition } from "../../cli/flags/condition.ts";
import { addSkusFlag } from "../../cli/flags/filter.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { addOutputFlags, parseOutput, splitPage } from "../../cli/flags/output.ts";
import { addDemoFlag } from "../../cli/flags/source.ts";
import { collectValues, dayCount, flagError, wholeNumber } from "../../cli/flags/values.ts";
import { addLastDayFlags, addPriceFlags, parsePrices } from "../../cli/question/question-flags.ts";
import { BOOKMARKS, sinceDayOrBookmark } from "../../cli/question/since.ts";
import { FIGURE_NAMES, FIGURES } from "./figures.ts";
import { REPORT_FORMATS, type ReportOptions } from "./options.ts";

const width = Math.max(...Object.keys(FIGURES).map((name) => name.length)) + 2;

const FIGURE_LIST = `Figures of --fail-if and of --format json:
${Object.entries(FIGURES)
  .map(([name, meaning]) => `  ${name.padEnd(width)}${meaning}`)
  .join("\n")}`;

const DOCUMENT =
  "--format json: one document with `figures` and all rows of `outages`, `stale_retailers`, `own_list`, `drops`, `rises`, `new_lows`, `new_products`, `gone_products` and `discounts_by_brand`: columns of coverage, latest, movers and diff, and an `id`, which is the same when the same event is reported again.";

/** The default of `--stale-after`: as long as a failed crawl counts as an outage, in days. */
const STALE_AFTER = 28;

const load: Run<ReportOptions> = async (...call) => (await import("./run.ts")).runReport(...call);

export function declare(command: Command, context: Context, run = load): void {
  const own = command
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "One report of a synced folder: outages and stale retailers, drops and rises of the last known prices, new lows, new " +
        "products, those that are gone or were not crawled, and discounts by brand. A short text for a mail, a page or a document.",
    )
    .option(
      "--since <day>",
      "compare with the last price known up to this day: YYYY-MM-DD, 7d, latest-7d (default: latest-7d, or the first day of a younger folder); last or last:NAME: since the last report",
      sinceDayOrBookmark("--since"),
    )
    .option("--html <file>", "write a page in one file, with a small chart for each product; it needs no network")
    .option("--text", "with --html: write the text to standard output, too")
    .option("--urls", "in the text, the address of each product");
  const listed = addSkusFlag(own, "a list of your own, which is a section of the report")
    .option(
      "--stale-after <days>",
      `a retailer is stale if its newest row is older than this on the newest day (default: ${STALE_AFTER}d)`,
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
      "products of each list, and brands; the text has at most 5, the document all",
      wholeNumber("--limit", 1),
      10,
    );
  const priced = addLastDayFlags(addOutputFlags(addPriceFlags(listed, "14d"), REPORT_FORMATS, "text"));
  const examples = [
    "catalog report --demo",
    "catalog report rows --html morning.html",
    "catalog report rows --since latest-1d --retailer acme --html acme.html --limit 50",
    "catalog report rows --html morning.html --text --urls | mail -s 'prices this morning' ada",
    "catalog report rows --skus watch.csv --fail-if 'target_met > 0'",
    "catalog report rows --html morning.html --fail-if 'outages > 0' --fail-if 'biggest_drop < -60'",
    "catalog report rows --since last:feed --format json > report.json",
  ];
  const notes = `${FIGURE_LIST}\n\n${DOCUMENT}\n\n${BOOKMARKS}`;
  addReportingFlags(addDemoFlag(priced), examples, notes).action((folder, flags) => {
    const { text = false, output, format } = flags;
    if (text && format === "json") {
      throw flagError("--text", "cannot be combined with --format json.");
    }
    const { page, listing } = splitPage(flags, text || output !== undefined || format !== undefined);
    const isJson = output !== undefined && /\.json(\.gz|\.zst)?$/i.test(output);
    const options = {
      ...parsePrices(command, folder, flags, context, 14),
      since: flags.since,
      page,
      output: parseOutput({ ...listing, format: format ?? (isJson ? "json" : "text") }, REPORT_FORMATS, context),
      urls: flags.urls === true,
      limit: flags.limit,
      staleAfter: flags.staleAfter ?? STALE_AFTER,
      conditions: (flags.failIf ?? []).map((condition) => parseCondition(condition, FIGURE_NAMES)),
    };
    return run(options, context);
  });
}
