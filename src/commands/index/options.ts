import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import { parseFilters } from "../../cli/flags/filter.ts";
import {
  type ListingFlags,
  type ListingOptions,
  parseListing,
  TABLE_FORMATS,
  type TableFormat,
} from "../../cli/flags/output.ts";
import { type FolderOptions, parseFolderSource, type SourceFlags } from "../../cli/flags/source.ts";
import type { DateExpression } from "../../contract/values/date-expression.ts";

/** The columns in their order. */
export const INDEX_COLUMNS: readonly string[] = [
  ...["retailer", "crawl_date", "currency", "index", "basket_value", "products_priced", "products"],
  ...["base_date", "base_value"],
];

export interface IndexFlags extends SourceFlags, ListingFlags {
  base?: DateExpression;
  /** Days. */
  maxAge?: number;
}

/** What `catalog index` computes. The filters have no days: earlier prices are known on the first one. */
export interface IndexOptions extends FolderOptions, ListingOptions<TableFormat> {
  /** A path, or `-` for standard input. */
  basket: string;
  /** The day on which the index is 100; undefined for the first one with a price. */
  base: DateExpression | undefined;
  /** The first and the last day; undefined for those of the folder. */
  startDate: DateExpression | undefined;
  endDate: DateExpression | undefined;
  /** Days after which a price is no longer known; undefined for never. */
  maxAge: number | undefined;
}

export function parseIndexOptions(
  command: Command,
  basket: string,
  folder: string | undefined,
  flags: IndexFlags,
  context: Context,
): IndexOptions {
  const { startDate, endDate, date: _, ...others } = flags;
  // Refuses wrong days.
  parseFilters(flags, context.now());
  return {
    ...parseFolderSource(command, folder, others, context),
    ...parseListing(flags, TABLE_FORMATS, context, INDEX_COLUMNS),
    basket,
    base: flags.base,
    startDate,
    endDate,
    maxAge: flags.maxAge,
  };
}
