import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { Context } from "../../cli/context.ts";
import { type Condition, parseCondition } from "../../cli/flags/condition.ts";
import { addSkusFlag } from "../../cli/flags/filter.ts";
import {
  addOutputFlags,
  type OutputOptions,
  type PageOptions,
  parseOutput,
  splitPage,
} from "../../cli/flags/output.ts";
import { addDemoFlag } from "../../cli/flags/source.ts";
import { collectValues, dayCount, type FlagsOf, flagError, wholeNumber } from "../../cli/flags/values.ts";
import type { PriceOptions } from "../../cli/question/declaration.ts";
import { addLastDayFlags, addPriceFlags, parsePrices } from "../../cli/question/question-flags.ts";
import { sinceDayOrBookmark } from "../../cli/question/since.ts";
import { FIGURE_NAMES, type Figure } from "./figures.ts";

export const REPORT_FORMATS = ["text", "json"] as const;

export function addReportFlags(command: Command) {
  const own = command
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
      `a retailer is stale if its newest row is older than this (default: ${STALE_AFTER}d)`,
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
  return addDemoFlag(addLastDayFlags(addOutputFlags(addPriceFlags(listed, "14d"), REPORT_FORMATS, "text")));
}

/** What `catalog report` reports. */
export interface ReportOptions extends PriceOptions {
  page: PageOptions | undefined;
  /** What is written beside the page, or without one. */
  output: OutputOptions<(typeof REPORT_FORMATS)[number]>;
  /** Whether the text has the addresses of products. */
  urls: boolean;
  /** Maximum number of products and brands of a list that people read. */
  limit: number;
  /** Days without a row after which a retailer is stale. */
  staleAfter: number;
  conditions: readonly Condition<Figure>[];
}

/** Days for which a failed crawl is an outage; a retailer is stale after that. */
export const STALE_AFTER = 28;

export function parseReportOptions(
  command: CommandUnknownOpts,
  folder: string | undefined,
  flags: FlagsOf<typeof addReportFlags>,
  context: Context,
): ReportOptions {
  const { text = false, output, format } = flags;
  if (text && format === "json") {
    throw flagError("--text", "cannot be combined with --format json.");
  }
  const { page, listing } = splitPage(flags, text || output !== undefined || format !== undefined);
  const isJson = output !== undefined && /\.json(\.\w+)?$/i.test(output);
  return {
    ...parsePrices(command, folder, flags, context, 14),
    since: flags.since,
    page,
    output: parseOutput({ ...listing, format: format ?? (isJson ? "json" : "text") }, REPORT_FORMATS, context),
    urls: flags.urls === true,
    limit: flags.limit,
    staleAfter: flags.staleAfter ?? STALE_AFTER,
    conditions: (flags.failIf ?? []).map((condition) => parseCondition(condition, FIGURE_NAMES)),
  };
}
