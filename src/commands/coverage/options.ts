import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { Context } from "../../cli/context.ts";
import { type Condition, parseCondition } from "../../cli/flags/condition.ts";
import { addBrandFlag, addFilterFlags, checkBrands } from "../../cli/flags/filter.ts";
import { addListFlags } from "../../cli/flags/list.ts";
import {
  addListOutput,
  columnsOption,
  type ListingOptions,
  type PageOptions,
  parseListing,
  splitPage,
  TABLE_FORMATS,
} from "../../cli/flags/output.ts";
import { addReadFlags, type FolderOptions, parseFolder, parseSource } from "../../cli/flags/source.ts";
import { type FlagsOf, flagError, wholeNumber } from "../../cli/flags/values.ts";
import type { SortKey } from "../../cli/order.ts";
import { namesOf, type QuestionOptions } from "../../cli/question/question.ts";
import { parseQuestion } from "../../cli/question/question-flags.ts";
import { CRAWL_DAY_COLUMNS, coverageColumns, GROUPINGS, type Grouping, NEWEST_DAYS } from "./columns.ts";

export const COVERAGE_FORMATS = [...TABLE_FORMATS, "markdown"] as const;

export const CRAWL_DAYS = "retailer,day";

/** Default of `--max-requests`: half of what the service allows a team in a minute (contract section 8). */
export const MAX_REQUESTS = 60;

/** The numbers that `--fail-if` can compare; `count` is that of the rows listed. No kind of group has all of them. */
const COVERAGE_FIELDS = ["days_old", "matching_rows", "corpus_rows", "combinations", "retailers", "count"] as const;
type CoverageField = (typeof COVERAGE_FIELDS)[number];

/** What `catalog coverage` counts and shows. With a folder it sends no request. */
export interface CoverageOptions extends FolderOptions, ListingOptions<(typeof COVERAGE_FORMATS)[number]> {
  groupBy: Grouping | undefined;
  failIf: Condition<CoverageField> | undefined;
  failOnEmpty: boolean;
  page: PageOptions | undefined;
  chart: boolean;
  /** Maximum number of days of a service that `--group-by day` counts, with one request each. */
  maxRequests: number;
}

/** Short names of orders; counts and last days are sorted from the largest. */
export function sortWords(groupBy: Grouping | undefined): Readonly<Record<string, SortKey>> {
  const isOfDays = groupBy === "day";
  const name = { column: groupBy ?? "retailer", descending: false };
  return {
    ...(!isOfDays && { name }),
    rows: { column: "matching_rows", descending: true },
    first: { column: isOfDays ? "crawl_date" : "earliest_date", descending: false },
    last: { column: isOfDays ? "crawl_date" : "latest_date", descending: true },
  };
}

const COLUMN_NAMES = [
  ...[undefined, ...GROUPINGS].flatMap((groupBy) => coverageColumns(groupBy)),
  ...namesOf(CRAWL_DAY_COLUMNS),
];

const SORT_NAMES = [...Object.keys(sortWords(undefined)), ...COLUMN_NAMES];

export function addCoverageFlags(command: Command) {
  const own = addListOutput(addBrandFlag(addFilterFlags(command)), COVERAGE_FORMATS)
    .addOption(
      new Option(
        "--group-by <what>",
        `group the combinations (brand: folders only); day: count the rows of each day (of a service the newest ${NEWEST_DAYS}, or those of --start-date and --end-date); retailer,day: show on which days the crawl of a retailer failed (folders only)`,
      ).choices([...GROUPINGS, CRAWL_DAYS]),
    )
    .addOption(columnsOption("columns to write, in this order: retailer,matching_rows,days_old", COLUMN_NAMES))
    .option("--from <dir>", "the same as naming the folder alone")
    .option(
      "--fail-if <condition>",
      "exit with 8 if a retailer, or a group of --group-by, meets it, as in 'days_old > 2'",
    )
    .option(
      "--max-requests <n>",
      `limit on the days of --group-by day, each a request to the service (default: ${MAX_REQUESTS})`,
      wholeNumber("--max-requests", 1),
    )
    .option("--chart", "draw the rows as bars and, of a folder, each retailer's crawls over time as a line")
    .option(
      "--html <file>",
      "write an HTML page: all combinations to search and sort and, of a folder, a heat map of days; it needs no network",
    );
  return addListFlags(addReadFlags(own), "matching_rows", SORT_NAMES, ", or `rows`, `first` or `last` day");
}

type CoverageFlags = Omit<FlagsOf<typeof addCoverageFlags>, "groupBy">;
type ListedFlags = CoverageFlags & { groupBy: Grouping | undefined };

/** What `--group-by retailer,day` shows of a folder. */
export interface CrawlDaysOptions extends QuestionOptions {
  failOnEmpty: boolean;
}

/** @param operand means the same as `--from` */
export function parseCrawlDays(
  command: CommandUnknownOpts,
  operand: string | undefined,
  flags: CoverageFlags,
  context: Context,
): CrawlDaysOptions {
  const folder = flags.demo && operand === undefined ? undefined : parseFolder(command, "--from", operand, flags.from);
  if (folder === undefined && !flags.demo) {
    throw flagError(
      "--group-by",
      `${CRAWL_DAYS} needs a folder of \`catalog sync\`: a day of a service takes a request.`,
    );
  }
  const other = (["chart", "html", "maxRequests"] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined) {
    const flag = other === "maxRequests" ? "--max-requests" : `--${other}`;
    throw flagError(flag, `cannot be combined with --group-by ${CRAWL_DAYS}.`);
  }
  const { from: _, ...others } = flags;
  const question = { columns: CRAWL_DAY_COLUMNS, sortWords: sortWords("day"), maxAge: undefined };
  return {
    ...parseQuestion(command, folder, others, context, { ...question, formats: COVERAGE_FORMATS }),
    failOnEmpty: flags.failOnEmpty === true,
  };
}

/** @param operand means the same as `--from` */
export function parseCoverageOptions(
  command: CommandUnknownOpts,
  operand: string | undefined,
  flags: ListedFlags,
  context: Context,
): CoverageOptions {
  const folder = parseFolder(command, "--from", operand, flags.from);
  checkBrands(flags.brand, folder !== undefined);
  if (flags.groupBy === "brand" && folder === undefined) {
    throw flagError("--group-by", "brand needs a folder of `catalog sync`: the API does not count brands.");
  }
  const { groupBy, chart = false } = flags;
  const { page, listing } = splitPage(
    flags,
    [flags.output, flags.format, flags.chart].some((flag) => flag !== undefined),
  );
  if (page?.isOnly) {
    refuseListFlags(flags);
  }
  const known = coverageColumns(groupBy);
  // Without groups, the condition is about retailers.
  const ofGroups = coverageColumns(groupBy ?? "retailer");
  const fields = COVERAGE_FIELDS.filter((field) => field === "count" || ofGroups.includes(field));
  const isForPeople = context.stdout.isTTY === true || chart;
  const shown = parseListing(listing, COVERAGE_FORMATS, context, known, sortWords(groupBy), isForPeople);
  if (chart && shown.columns !== undefined) {
    throw flagError("--columns", "is for a list; --chart draws the rows of each. Leave out one of the two.");
  }
  if (chart && shown.output.format !== "table") {
    throw flagError("--chart", `is a view for people; it cannot be combined with ${shown.output.format}.`);
  }
  if (flags.maxRequests !== undefined && (groupBy !== "day" || folder !== undefined)) {
    throw flagError("--max-requests", "is for --group-by day of a service; leave it out.");
  }
  return {
    ...parseSource(command, flags, context),
    ...shown,
    folder,
    brands: flags.brand,
    groupBy,
    failIf: flags.failIf === undefined ? undefined : parseCondition(flags.failIf, fields),
    failOnEmpty: flags.failOnEmpty === true,
    page,
    chart,
    maxRequests: flags.maxRequests ?? MAX_REQUESTS,
  };
}

/** Refuses the flags of a list where only the page is asked for, which has every combination. */
function refuseListFlags(flags: ListedFlags): void {
  const lost = (["groupBy", "columns", "sort", "limit"] as const).find((name) => flags[name] !== undefined);
  if (lost !== undefined) {
    const flag = lost === "groupBy" ? "--group-by" : `--${lost}`;
    throw flagError(flag, "is for a list; the page has every combination. Add -f or -o for a list beside it.");
  }
}
