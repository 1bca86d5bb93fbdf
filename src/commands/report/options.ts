import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import { type Condition, parseCondition } from "../../cli/flags/condition.ts";
import { type OutputFlags, type PageOptions, splitPage } from "../../cli/flags/output.ts";
import { type FolderOptions, parseFolderSource, type SourceFlags } from "../../cli/flags/source.ts";
import { flagError } from "../../cli/flags/values.ts";
import type { DateExpression } from "../../contract/values/date-expression.ts";
import { FIGURE_NAMES, type Figure } from "./figures.ts";

export interface ReportFlags extends SourceFlags, Pick<OutputFlags, "html" | "clobber"> {
  since?: DateExpression;
  text?: boolean;
  limit: number;
  maxAge?: number;
  staleAfter?: number;
  failIf?: string[];
}

/** What `catalog report` reports. */
export interface ReportOptions extends FolderOptions {
  /** A day, `last` or `last:NAME`; undefined for a week before the newest day. */
  since: DateExpression | undefined;
  page: PageOptions | undefined;
  /** Most products and brands of a list. */
  limit: number;
  /** Days without a row after which a product is gone. */
  maxAge: number;
  /** Days without a row after which a retailer is stale. */
  staleAfter: number;
  conditions: readonly Condition<Figure>[];
}

export function parseReportOptions(
  command: Command,
  folder: string | undefined,
  flags: ReportFlags,
  context: Context,
): ReportOptions {
  if (flags.clobber === false && flags.html === undefined) {
    throw flagError("--no-clobber", "protects a file; it needs --html FILE.");
  }
  return {
    ...parseFolderSource(command, folder, flags, context),
    since: flags.since,
    page: splitPage(flags, flags.text === true).page,
    limit: flags.limit,
    maxAge: flags.maxAge ?? 14,
    staleAfter: flags.staleAfter ?? 2,
    conditions: (flags.failIf ?? []).map((text) => parseCondition(text, FIGURE_NAMES)),
  };
}
