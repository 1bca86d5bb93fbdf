import type { Command } from "commander";
import { type FilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { parseGlobals } from "../../cli/flags/global.ts";
import { type ListFlags, parseListFlags } from "../../cli/flags/list.ts";
import {
  LIST_FORMATS,
  listFormatOfFile,
  type OutputFlags,
  type OutputOptions,
  parseOutput,
} from "../../cli/flags/output.ts";
import type { ReadFlags } from "../../cli/flags/source.ts";
import { parseFolder } from "../../cli/flags/source.ts";
import { flagError } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { coverageColumns, type Grouping, sortWords } from "./groups.ts";

export const COVERAGE_FORMATS = [...LIST_FORMATS, "markdown"] as const;
type CoverageFormat = (typeof COVERAGE_FORMATS)[number] | "html";

/** Default of `--chart-requests`. */
export const CHART_REQUESTS = 24;

/** Default of `--max-requests`: what the service allows in two minutes (contract section 8). */
export const DAY_REQUESTS = 240;

export interface CoverageFlags extends FilterFlags, OutputFlags, ListFlags, ReadFlags {
  groupBy?: Grouping;
  from?: string;
  maxRequests?: number;
  chart?: boolean;
  chartRequests?: number;
  html?: string;
}

export type CoverageOptions = ReturnType<typeof parseCoverageOptions>;

export function parseCoverageOptions(command: Command, flags: CoverageFlags, context: Context) {
  const { groupBy, maxRequests = DAY_REQUESTS, chart, chartRequests, html } = flags;
  const output = html === undefined ? parseListing(flags, context) : parsePage(flags, html);
  if (chart && output.format !== "table") {
    throw flagError("--chart", `is a view for people; it cannot be combined with ${output.format}.`);
  }
  if (flags.maxRequests !== undefined && (groupBy !== "day" || flags.from !== undefined)) {
    throw flagError("--max-requests", "is for --group-by day of a service; leave it out.");
  }
  const isDrawn = chart || html !== undefined;
  if (chartRequests !== undefined && !isDrawn) {
    throw flagError("--chart-requests", "needs --chart or --html.");
  }
  return {
    ...flags,
    globals: parseGlobals(command),
    filters: parseFilters(flags, context.now()),
    output,
    /** A synced folder to count instead of asking the service. */
    from: parseFolder(command, "--from", flags.from),
    /** The most coverage requests for the days of `groupBy`. */
    maxRequests,
    list: parseListFlags(flags, coverageColumns(groupBy), sortWords(groupBy)),
    /** Coverage requests for the activity over time; undefined for no chart. */
    chartRequests: isDrawn ? (chartRequests ?? CHART_REQUESTS) : undefined,
  };
}

function parseListing(flags: CoverageFlags, { stdout }: Context): OutputOptions<CoverageFormat> {
  const isTerminal = stdout.isTTY === true;
  return parseOutput<CoverageFormat>(
    flags,
    coverageFormatOf,
    isTerminal || flags.chart ? "table" : "ndjson",
    isTerminal,
  );
}

function parsePage(flags: CoverageFlags, file: string): OutputOptions<CoverageFormat> {
  const other = (["output", "format", "groupBy", "sort", "limit"] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined) {
    const flag = other === "groupBy" ? "--group-by" : `--${other}`;
    throw new UsageError(`--html FILE is an output of its own with every combination; leave out ${flag}.`, { flag });
  }
  return parseOutput<CoverageFormat>({ ...flags, output: file, format: "html" }, () => undefined, "html", false);
}

function coverageFormatOf(name: string): CoverageFormat | undefined {
  return /\.(md|markdown)$/i.test(name) ? "markdown" : listFormatOfFile(name);
}
