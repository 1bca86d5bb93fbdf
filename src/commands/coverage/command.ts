import { type Command, Option } from "commander";
import { addFilterFlags, type FilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { parseFolder } from "../../cli/flags/folder.ts";
import { addGlobalFlags, type GlobalOptions, parseGlobals } from "../../cli/flags/global.ts";
import { addListFlags, type ListFlags, parseList } from "../../cli/flags/list.ts";
import {
  addListOutput,
  listFormatOfFile,
  type OutputFlags,
  type OutputOptions,
  parseOutput,
} from "../../cli/flags/output.ts";
import { addReadFlags, type ReadFlags } from "../../cli/flags/pull.ts";
import { parseWhole } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { columnsOf, GROUPINGS, type Grouping, sortWords } from "./groups.ts";
import { COVERAGE_FORMATS, type CoverageFormat, type CoverageOptions } from "./options.ts";

/** Default of `--chart-requests`. */
const CHART_REQUESTS = 24;

/** Default of `--max-requests`: what the service allows in two minutes (contract section 8). */
const DAY_REQUESTS = 240;

interface Flags extends FilterFlags, OutputFlags, ListFlags, ReadFlags {
  groupBy?: Grouping;
  from?: string;
  maxRequests?: string;
  chart?: boolean;
  chartRequests?: string;
  html?: string;
}

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
    )
    .option("--chart", "draw the rows as bars and each retailer's crawls over time as a line")
    .option(
      "--chart-requests <n>",
      `coverage requests that --chart or --html may take for the days (default: ${CHART_REQUESTS})`,
    )
    .option(
      "--html <file>",
      "write an HTML page: a heat map of days, and all combinations to search and sort; it needs no network",
    );
  addReadFlags(command);
  addListFlags(command, "matching_rows", ", or `rows`, `first` or `last` day");
  addGlobalFlags(command)
    .addHelpText(
      "after",
      `
Examples:
  $ catalog coverage --demo
  $ catalog coverage --retailer acme --group-by department
  $ catalog coverage --group-by retailer --sort days_old:desc
  $ catalog coverage --group-by day --start-date 30d
  $ catalog coverage --from rows --group-by day --retailer acme
  $ catalog coverage --chart --group-by retailer
  $ catalog coverage --html coverage.html
  $ catalog coverage --date yesterday -f csv -o yesterday.csv`,
    )
    .action(async (flags: Flags) => {
      const options = parseOptions(command, flags, context);
      const { runCoverage } = await import("./run.ts");
      await runCoverage(options, context);
    });
}

function parseOptions(command: Command, flags: Flags, context: Context): CoverageOptions {
  const chartRequests = parseChart(flags);
  const output = flags.html === undefined ? parseListing(flags, context) : parsePage(flags, flags.html);
  if (flags.chart && output.format !== "table") {
    throw new UsageError(`--chart is a view for people; it cannot be combined with ${output.format}.`, {
      flag: "--chart",
    });
  }
  return {
    globals: parseGlobals(command),
    filters: parseFilters(flags, context.now()),
    demo: flags.demo ?? false,
    output,
    groupBy: flags.groupBy,
    from: parseFrom(flags, parseGlobals(command)),
    maxRequests: parseMaxRequests(flags),
    list: parseList(flags, columnsOf(flags.groupBy), sortWords(flags.groupBy)),
    chartRequests,
    failOnEmpty: flags.failOnEmpty ?? false,
  };
}

function parseFrom({ from, demo }: Flags, { baseUrl, profile }: GlobalOptions): string | undefined {
  return parseFolder("--from", from, { "--demo": demo, "--base-url": baseUrl, "--profile": profile });
}

function parseMaxRequests({ maxRequests, groupBy, from }: Flags): number {
  if (maxRequests !== undefined && (groupBy !== "day" || from !== undefined)) {
    throw new UsageError("--max-requests is for --group-by day of a service; leave it out.", {
      flag: "--max-requests",
    });
  }
  return parseWhole(maxRequests ?? String(DAY_REQUESTS), "--max-requests", 1);
}

function parseChart(flags: Flags): number | undefined {
  const isDrawn = flags.chart || flags.html !== undefined;
  if (flags.chartRequests !== undefined && !isDrawn) {
    throw new UsageError("--chart-requests needs --chart or --html.", { flag: "--chart-requests" });
  }
  const requests = parseWhole(flags.chartRequests ?? String(CHART_REQUESTS), "--chart-requests", 1, 100);
  return isDrawn ? requests : undefined;
}

function parseListing(flags: Flags, context: Context): OutputOptions<CoverageFormat> {
  const isTerminal = context.stdout.isTTY === true;
  return parseOutput<CoverageFormat>(flags, formatOfName, isTerminal || flags.chart ? "table" : "ndjson", isTerminal);
}

function parsePage(flags: Flags, file: string): OutputOptions<CoverageFormat> {
  const other = (["output", "format", "groupBy", "sort", "limit"] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined) {
    const flag = other === "groupBy" ? "--group-by" : `--${other}`;
    throw new UsageError(`--html FILE is an output of its own with every combination; leave out ${flag}.`, { flag });
  }
  return parseOutput<CoverageFormat>({ ...flags, output: file, format: "html" }, () => undefined, "html", false);
}

function formatOfName(name: string): CoverageFormat | undefined {
  return /\.(md|markdown)$/i.test(name) ? "markdown" : listFormatOfFile(name);
}
