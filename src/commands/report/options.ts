import type { Command } from "commander";
import { parseCondition } from "../../cli/flags/condition.ts";
import { checkBrands, type FilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { parseGlobals } from "../../cli/flags/global.ts";
import { type OutputFlags, splitPage } from "../../cli/flags/output.ts";
import { flagError } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import type { DateExpression } from "../../contract/values/date-expression.ts";
import { FIGURE_NAMES } from "./figures.ts";

export interface ReportFlags extends FilterFlags, Pick<OutputFlags, "html" | "clobber"> {
  since?: DateExpression;
  text?: boolean;
  /** Most products and brands of a list. */
  limit: number;
  /** Days without a row after which a product is gone. */
  maxAge?: number;
  /** Days without a row after which a retailer is stale. */
  staleAfter?: number;
  failIf?: string[];
  demo?: boolean;
}

export type ReportOptions = ReturnType<typeof parseReportOptions>;

export function parseReportOptions(command: Command, folder: string | undefined, flags: ReportFlags, context: Context) {
  checkBrands(flags.brand, true);
  if (flags.clobber === false && flags.html === undefined) {
    throw flagError("--no-clobber", "protects a file; it needs --html FILE.");
  }
  const { maxAge = 14, staleAfter = 2 } = flags;
  const { page } = splitPage(flags, flags.text === true);
  return {
    ...{ ...flags, folder, page, maxAge, staleAfter },
    globals: parseGlobals(command),
    filters: parseFilters(flags, context.now()),
    conditions: (flags.failIf ?? []).map((text) => parseCondition(text, FIGURE_NAMES)),
  };
}
