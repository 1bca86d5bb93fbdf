import type { Command } from "commander";
import { checkBrands, type FilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { parseGlobals } from "../../cli/flags/global.ts";
import { type ListFlags, parseListFlags } from "../../cli/flags/list.ts";
import { type OutputFlags, parseRowsOutput } from "../../cli/flags/output.ts";
import type { Context } from "../../context.ts";
import type { DateExpression } from "../../contract/values/date-expression.ts";

/** The columns in their order. */
export const INDEX_COLUMNS: readonly string[] = [
  ...["retailer", "crawl_date", "currency", "index", "basket_value", "products_priced", "products"],
  ...["base_date", "base_value"],
];

export interface IndexFlags extends FilterFlags, OutputFlags, ListFlags {
  base?: DateExpression;
  /** Days. */
  maxAge?: number;
  columns?: string[];
  demo?: boolean;
}

export type IndexOptions = ReturnType<typeof parseIndexOptions>;

/** @param basket a path, or `-` for standard input */
export function parseIndexOptions(
  command: Command,
  basket: string,
  folder: string | undefined,
  flags: IndexFlags,
  context: Context,
) {
  checkBrands(flags.brand, true);
  const { start_date, end_date, ...filters } = parseFilters(flags, context.now());
  return {
    ...{ ...flags, basket, folder },
    globals: parseGlobals(command),
    /** Without days: earlier prices are known on the first one. */
    filters,
    output: parseRowsOutput(flags, context),
    list: parseListFlags(flags, INDEX_COLUMNS),
  };
}
