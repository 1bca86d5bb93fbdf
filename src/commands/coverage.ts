import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { COVERAGE_COLUMNS, type Coverage } from "../contract/coverage.ts";
import type { Filters } from "../contract/filters.ts";
import { EmptyResultError } from "../errors.ts";
import type { RowFormat } from "../output/formats.ts";
import { renderMarkdown } from "../output/markdown.ts";
import { renderTable } from "../output/table.ts";
import { withConnection } from "./connection.ts";
import {
  DIMENSIONS,
  type Dimension,
  GROUP_COLUMNS,
  groupCoverage,
  SORTS,
  type Sort,
  sortCoverage,
} from "./coverage-groups.ts";
import { coverageTable } from "./coverage-table.ts";
import { addFilterFlags, type FilterFlags, parseFilters } from "./filter-flags.ts";
import { addGlobalFlags, type GlobalOptions, parseGlobals } from "./global-flags.ts";
import {
  addOutputFlags,
  type OutputFlags,
  type OutputOptions,
  parseOutput,
  refuseBinaryOnTerminal,
  textFormatOfFile,
} from "./output-flags.ts";
import { isColoured, widthOf } from "./terminal.ts";
import { writeRows, writeText } from "./write-rows.ts";

const FORMATS = ["table", "csv", "tsv", "json", "ndjson", "markdown"] as const;
type Format = (typeof FORMATS)[number];

export interface CoverageOptions {
  globals: GlobalOptions;
  filters: Filters;
  demo: boolean;
  output: OutputOptions<Format>;
  groupBy: Dimension | undefined;
  sort: Sort;
  failOnEmpty: boolean;
}

interface Flags extends FilterFlags, OutputFlags {
  demo?: boolean;
  groupBy?: Dimension;
  sort?: Sort;
  failOnEmpty?: boolean;
}

export function declare(
  command: Command,
  context: Context,
  run: (options: CoverageOptions, context: Context) => Promise<void> = runCoverage,
): void {
  command.description(
    "How much data exists: a row per retailer/category/department combination with its row counts and crawl dates.",
  );
  addFilterFlags(command);
  addOutputFlags(command, FORMATS, "table in a terminal, else ndjson")
    .addOption(new Option("--group-by <what>", "add the combinations up").choices(DIMENSIONS))
    .addOption(
      new Option("--sort <by>", "name, or the largest, earliest or latest first (default: name)").choices(SORTS),
    )
    .option("--fail-on-empty", "exit with 7 when nothing matches")
    .option("--demo", "run on a generated data set, without key or configuration");
  addGlobalFlags(command)
    .addHelpText(
      "after",
      `
Examples:
  $ catalog coverage --demo
  $ catalog coverage --retailer acme --group-by department
  $ catalog coverage --date yesterday -f csv -o yesterday.csv`,
    )
    .action((flags: Flags) => run(parseOptions(command, flags, context), context));
}

function parseOptions(command: Command, flags: Flags, context: Context): CoverageOptions {
  const output = parseOutput<Format>(flags, formatOfName, context.stdout.isTTY ? "table" : "ndjson");
  refuseBinaryOnTerminal(output, context.stdout.isTTY === true);
  return {
    globals: parseGlobals(command),
    filters: parseFilters(flags, context.now()),
    demo: flags.demo ?? false,
    output,
    groupBy: flags.groupBy,
    sort: flags.sort ?? "name",
    failOnEmpty: flags.failOnEmpty ?? false,
  };
}

function formatOfName(name: string): Format | undefined {
  return /\.(md|markdown)$/i.test(name) ? "markdown" : textFormatOfFile(name);
}

async function runCoverage(options: CoverageOptions, context: Context): Promise<void> {
  const { data, meta } = await withConnection(options, context, ({ client }) => client.coverage(options.filters));
  if (options.failOnEmpty && data.length === 0) {
    throw new EmptyResultError("nothing matches the filters");
  }
  const sorted: readonly (Coverage | ReturnType<typeof groupCoverage>[number])[] =
    options.groupBy === undefined
      ? sortCoverage(data, options.sort)
      : sortCoverage(groupCoverage(data, options.groupBy), options.sort);
  const { output } = options;
  if (output.format === "table" || output.format === "markdown") {
    const isTerminal = output.output === undefined;
    const width = isTerminal ? widthOf(context.stdout) : undefined;
    const table = coverageTable(sorted, options.groupBy, meta.coverage, { bars: output.format === "table", width });
    const colour = isTerminal && isColoured(context.stdout, options.globals.color, context.env);
    await writeText(
      output.format === "markdown" ? renderMarkdown(table) : renderTable(table, { width, colour }).text,
      output,
      context,
    );
    return;
  }
  const known = options.groupBy === undefined ? COVERAGE_COLUMNS : [options.groupBy, ...GROUP_COLUMNS];
  const rows = sorted.map((entry) => JSON.stringify(entry));
  await writeRows(rows, output as OutputOptions<RowFormat>, { known }, context);
}
