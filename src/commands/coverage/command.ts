import { type Command, Option } from "commander";
import type { Context, Run } from "../../cli/context.ts";
import { addBrandFlag, addFilterFlags } from "../../cli/flags/filter.ts";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import { addListFlags } from "../../cli/flags/list.ts";
import { addListOutput } from "../../cli/flags/output.ts";
import { addReadFlags } from "../../cli/flags/source.ts";
import { NamesOption, wholeNumber } from "../../cli/flags/values.ts";
import { namesOf } from "../../cli/question/declaration.ts";
import { CRAWL_DAY_COLUMNS, coverageColumns, GROUPINGS } from "./columns.ts";
import { NEWEST_DAYS } from "./day-counts.ts";
import {
  COVERAGE_FORMATS,
  type CoverageFlags,
  type CoverageOptions,
  CRAWL_DAYS,
  type CrawlDaysOptions,
  MAX_REQUESTS,
  parseCoverageOptions,
  parseCrawlDays,
  sortWords,
} from "./options.ts";

/** The columns of one grouping or another. */
const COLUMN_NAMES = [
  ...[undefined, ...GROUPINGS].flatMap((groupBy) => coverageColumns(groupBy)),
  ...namesOf(CRAWL_DAY_COLUMNS),
];

/** What `--sort` takes for one grouping or another. */
const SORT_NAMES = [
  ...[undefined, ...GROUPINGS].flatMap((groupBy) => Object.keys(sortWords(groupBy))),
  ...COLUMN_NAMES,
];

const load: Run<CoverageOptions> = async (...call) => (await import("./run.ts")).runCoverage(...call);
const loadDays: Run<CrawlDaysOptions> = async (...call) => (await import("./crawl-days.ts")).askCrawlDays(...call);

export function declare(command: Command, context: Context, run = load, runDays = loadDays): void {
  command
    .argument("[dir]", "a folder of `catalog sync` to count instead of asking the service; sends no request")
    .description(
      "How much data exists, and how fresh it is: a row per retailer/category/department combination with its row counts, " +
        "crawl dates, and the days since its newest crawl.",
    );
  addBrandFlag(addFilterFlags(command));
  addListOutput(command, COVERAGE_FORMATS)
    .addOption(
      new Option(
        "--group-by <what>",
        `sum up the combinations (brand: of a folder), count each day (of a service the newest ${NEWEST_DAYS}, or those of --start-date and --end-date), or, of a folder, show on which days a retailer's crawl failed (retailer,day)`,
      ).choices([...GROUPINGS, CRAWL_DAYS]),
    )
    .addOption(
      new NamesOption(
        "--columns <names>",
        "columns to write, in this order: retailer,matching_rows,days_old",
        COLUMN_NAMES,
      ),
    )
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
  addReadFlags(command);
  addListFlags(command, "matching_rows", SORT_NAMES, ", or `rows`, `first` or `last` day");
  addGlobalFlags(command, [
    "catalog coverage --demo",
    "catalog coverage --retailer acme --group-by department",
    "catalog coverage --group-by retailer --sort days_old:desc",
    "catalog coverage --group-by day --start-date 30d",
    "catalog coverage rows --group-by day --retailer acme",
    "catalog coverage rows --group-by retailer,day --start-date latest-7d --fail-if 'share < 0.5'",
    "catalog coverage rows --fail-if 'days_old > 2' > freshness.ndjson",
    "catalog coverage --chart --group-by retailer",
    "catalog coverage --html coverage.html",
    "catalog coverage --date yesterday -f csv -o yesterday.csv",
  ]).action((folder: string | undefined, flags: CoverageFlags) => {
    const { groupBy, ...others } = flags;
    if (groupBy === CRAWL_DAYS) {
      return runDays(parseCrawlDays(command, folder, flags, context), context);
    }
    const options = parseCoverageOptions(command, folder, { ...others, ...(groupBy && { groupBy }) }, context);
    return run(options, context);
  });
}
