import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import type { Condition } from "../../cli/flags/condition.ts";
import { checkBrands } from "../../cli/flags/filter.ts";
import { type ListFlags, type ListOptions, parseListFlags } from "../../cli/flags/list.ts";
import {
  LIST_FORMATS,
  type OutputFlags,
  type OutputOptions,
  type PageOptions,
  parseOutput,
  splitPage,
} from "../../cli/flags/output.ts";
import { type FolderOptions, parseFolder, parseSource, type ReadFlags } from "../../cli/flags/source.ts";
import { flagError } from "../../cli/flags/values.ts";
import type { SortKey } from "../../cli/order.ts";
import { COVERAGE_COLUMNS } from "../../contract/coverage.ts";

export const COVERAGE_FORMATS = [...LIST_FORMATS, "markdown"] as const;

export const DIMENSIONS = ["retailer", "department", "category"] as const;

export const GROUPINGS = [...DIMENSIONS, "brand", "day"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** What combinations are summed up by. */
export type Summing = Exclude<Grouping, "day">;

/** Default of `--max-requests`: half of what the service allows a team in a minute (contract section 8). */
export const MAX_REQUESTS = 60;

/** Fields of a group that `--fail-if` may use; a group without one of them does not meet a condition on it. */
export const COVERAGE_FIELDS = ["days_old", "matching_rows", "corpus_rows", "combinations", "retailers"] as const;
export type CoverageField = (typeof COVERAGE_FIELDS)[number];

export interface CoverageFlags extends ReadFlags, OutputFlags, ListFlags {
  groupBy?: Grouping;
  from?: string;
  failIf?: Condition<CoverageField>;
  maxRequests?: number;
  chart?: boolean;
}

/** What `catalog coverage` counts and shows. With a folder it sends no request. */
export interface CoverageOptions extends FolderOptions {
  groupBy: Grouping | undefined;
  failIf: Condition<CoverageField> | undefined;
  failOnEmpty: boolean;
  output: OutputOptions<(typeof COVERAGE_FORMATS)[number]>;
  list: ListOptions;
  page: PageOptions | undefined;
  /** Whether the rows are drawn as bars. */
  chart: boolean;
  /** Maximum number of days, each of which takes a coverage request, of `groupBy` for a service. */
  maxRequests: number;
}

const DAY_COLUMNS = ["crawl_date", "retailers", "combinations", "matching_rows"];
const GROUP_COLUMNS = ["combinations", "corpus_rows", "matching_rows", "earliest_date", "latest_date"];

/** The columns of a list in their order. */
export function coverageColumns(groupBy: Grouping | undefined): readonly string[] {
  const columns =
    groupBy === undefined ? COVERAGE_COLUMNS : groupBy === "day" ? DAY_COLUMNS : [groupBy, ...GROUP_COLUMNS];
  return [...columns, "days_old"];
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

/** @param operand means the same as `--from` */
export function parseCoverageOptions(
  command: Command,
  operand: string | undefined,
  flags: CoverageFlags,
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
  const output = parseOutput(listing, COVERAGE_FORMATS, context, context.stdout.isTTY === true || chart);
  if (page?.isOnly) {
    refuseListFlags(flags);
  }
  if (chart && output.format !== "table") {
    throw flagError("--chart", `is a view for people; it cannot be combined with ${output.format}.`);
  }
  if (flags.maxRequests !== undefined && (groupBy !== "day" || folder !== undefined)) {
    throw flagError("--max-requests", "is for --group-by day of a service; leave it out.");
  }
  return {
    ...parseSource(command, flags, context),
    folder,
    brands: flags.brand,
    groupBy,
    failIf: flags.failIf,
    failOnEmpty: flags.failOnEmpty === true,
    output,
    list: parseListFlags(flags, coverageColumns(groupBy), sortWords(groupBy)),
    page,
    chart,
    maxRequests: flags.maxRequests ?? MAX_REQUESTS,
  };
}

/** Refuses the flags of a list where only the page is asked for, which has every combination. */
function refuseListFlags(flags: CoverageFlags): void {
  const lost = (["groupBy", "sort", "limit"] as const).find((name) => flags[name] !== undefined);
  if (lost !== undefined) {
    const flag = lost === "groupBy" ? "--group-by" : `--${lost}`;
    throw flagError(flag, "is for a list; the page has every combination. Add -f or -o for a list beside it.");
  }
}
