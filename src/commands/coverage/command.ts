import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import { columnsHelp } from "../../cli/question/question.ts";
import { CRAWL_DAY_COLUMNS } from "./columns.ts";
import {
  addCoverageFlags,
  type CoverageOptions,
  CRAWL_DAYS,
  type CrawlDaysOptions,
  parseCoverageOptions,
  parseCrawlDays,
} from "./options.ts";

const load: Run<CoverageOptions> = async (...call) => (await import("./run.ts")).runCoverage(...call);
const loadDays: Run<CrawlDaysOptions> = async (...call) => (await import("./crawl-days.ts")).askCrawlDays(...call);

export function declare(command: Command, context: Context, run = load, runDays = loadDays): void {
  const declared = addCoverageFlags(command)
    .argument("[dir]", "a folder of `catalog sync` to count instead of asking the service; sends no request")
    .description(
      "How much data exists, and how fresh it is: a row per retailer/category/department combination with its row counts, " +
        "crawl dates, and the days since its newest crawl.",
    );
  const examples = [
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
  ];
  const note = `With --group-by ${CRAWL_DAYS}:\n${columnsHelp(CRAWL_DAY_COLUMNS)}`;
  addGlobalFlags(declared, examples, note).action((folder, { groupBy, ...flags }) =>
    groupBy === CRAWL_DAYS
      ? runDays(parseCrawlDays(command, folder, flags, context), context)
      : run(parseCoverageOptions(command, folder, { ...flags, groupBy }, context), context),
  );
}
