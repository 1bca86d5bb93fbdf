import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import {
  type ListingFlags,
  type ListingOptions,
  parseListing,
  TABLE_FORMATS,
  type TableFormat,
} from "../../cli/flags/output.ts";
import { type FolderOptions, parseFolderSource, type SourceFlags } from "../../cli/flags/source.ts";
import { parseColumns } from "../../export/formats/columns.ts";
import type { ProductGroup } from "../../folder/prices/observation.ts";

/** The columns of a product in their order. */
export const LATEST_COLUMNS: readonly string[] = [
  ...["retailer", "sku", "title", "brand", "department", "category", "currency"],
  ...["selling_price", "mrp", "discount_pct", "crawl_date", "days_old", "url"],
];

/** The columns of a group, after its name. */
export const GROUP_COLUMNS = ["products", "discounted_products", "discounted_percent", "mean_discount_pct"] as const;

export interface LatestFlags extends SourceFlags, Omit<ListingFlags, "columns"> {
  groupBy?: ProductGroup;
  /** Days. */
  maxAge?: number;
  /** As they were written: what they may be depends on `groupBy`. */
  columns?: string;
}

/** Short names for sort orders of products. */
const SORT_WORDS = {
  price: { column: "selling_price", descending: false },
  age: { column: "days_old", descending: true },
} as const;

/** Which last known prices `catalog latest` shows, and how. */
export interface LatestOptions extends FolderOptions, ListingOptions<TableFormat> {
  groupBy: ProductGroup | undefined;
  /** Days; undefined for prices of any age. */
  maxAge: number | undefined;
}

export function parseLatestOptions(
  command: Command,
  folder: string | undefined,
  flags: LatestFlags,
  context: Context,
): LatestOptions {
  const { groupBy, columns, ...others } = flags;
  const known = groupBy === undefined ? LATEST_COLUMNS : [groupBy, ...GROUP_COLUMNS];
  return {
    ...parseFolderSource(command, folder, flags, context),
    ...parseListing(others, TABLE_FORMATS, context, known, groupBy === undefined ? SORT_WORDS : {}),
    groupBy,
    maxAge: flags.maxAge,
    columns: columns === undefined ? undefined : parseColumns(columns, known),
  };
}
