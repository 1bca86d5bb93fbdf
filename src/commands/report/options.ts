import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import { type Condition, parseCondition } from "../../cli/flags/condition.ts";
import {
  type OutputFlags,
  type OutputOptions,
  type PageOptions,
  parseOutput,
  splitPage,
} from "../../cli/flags/output.ts";
import { flagError } from "../../cli/flags/values.ts";
import type { PriceOptions } from "../../cli/question/declaration.ts";
import { type PriceFlags, parsePrices } from "../../cli/question/question-flags.ts";
import { FIGURE_NAMES, type Figure } from "./figures.ts";

export const REPORT_FORMATS = ["text", "json"] as const;

export interface ReportFlags extends PriceFlags, Omit<OutputFlags, "partitionBy" | "links"> {
  since?: string;
  text?: boolean;
  urls?: boolean;
  limit: number;
  staleAfter?: number;
  failIf?: string[];
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
  command: Command,
  folder: string | undefined,
  flags: ReportFlags,
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
