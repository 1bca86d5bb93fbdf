import { type Command, Option } from "commander";
import { addFilterFlags } from "../../cli/flags/filter.ts";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import { addListFlags } from "../../cli/flags/list.ts";
import { addListOutput } from "../../cli/flags/output.ts";
import { addReadFlags } from "../../cli/flags/source.ts";
import { wholeNumber } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { coverageColumns, GROUPINGS, sortWords } from "./groups.ts";
import { CHART_REQUESTS, COVERAGE_FORMATS, type CoverageFlags, DAY_REQUESTS, parseCoverageOptions } from "./options.ts";

/** What `--sort` takes for one grouping or another. */
const SORT_NAMES = [undefined, ...GROUPINGS].flatMap((groupBy) => [
  ...Object.keys(sortWords(groupBy)),
  ...coverageColumns(groupBy),
]);

export function declare(command: Command, context: Context): void {
  command.description(
    "How much data exists, and how fresh it is: a row per retailer/category/department combination with its row counts, " +
      "crawl dates, and the days since its newest crawl.",
  );
  addFilterFlags(command);
  addListOutput(command, COVERAGE_FORMATS)
    .addOption(new Option("--group-by <what>", "sum up the combinations, or count each day").choices(GROUPINGS))
    .option("--from <dir>", "count a folder of `catalog sync` instead of asking the service; sends no request")
    .option(
      "--max-requests <n>",
      `coverage requests that --group-by day may take, at most one a day (default: ${DAY_REQUESTS})`,
      wholeNumber("--max-requests", 1),
    )
    .option("--chart", "draw the rows as bars and each retailer's crawls over time as a line")
    .option(
      "--chart-requests <n>",
      `coverage requests that --chart or --html may take for the days (default: ${CHART_REQUESTS})`,
      wholeNumber("--chart-requests", 1, 100),
    )
    .option(
      "--html <file>",
      "write an HTML page: a heat map of days, and all combinations to search and sort; it needs no network",
    );
  addReadFlags(command);
  addListFlags(command, "matching_rows", SORT_NAMES, ", or `rows`, `first` or `last` day");
  addGlobalFlags(command, [
    "catalog coverage --demo",
    "catalog coverage --retailer acme --group-by department",
    "catalog coverage --group-by retailer --sort days_old:desc",
    "catalog coverage --group-by day --start-date 30d",
    "catalog coverage --from rows --group-by day --retailer acme",
    "catalog coverage --chart --group-by retailer",
    "catalog coverage --html coverage.html",
    "catalog coverage --date yesterday -f csv -o yesterday.csv",
  ]).action(async (flags: CoverageFlags) => {
    const options = parseCoverageOptions(command, flags, context);
    const { runCoverage } = await import("./run.ts");
    await runCoverage(options, context);
  });
}
