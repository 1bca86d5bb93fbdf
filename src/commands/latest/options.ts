import type { Command } from "commander";
import type { FilterFlags } from "../../cli/flags/filter.ts";
import { type ListFlags, parseListFlags } from "../../cli/flags/list.ts";
import { type ListingOptions, type OutputFlags, parseRowsOutput } from "../../cli/flags/output.ts";
import { type FolderOptions, parseFolderSource } from "../../cli/flags/source.ts";
import type { Context } from "../../context.ts";
import { parseColumns } from "../../output/formats/columns.ts";
import type { RowFormat } from "../../output/formats/registry.ts";
import type { ProductGroup } from "../../prices/observation.ts";

/** The columns of a product in their order. */
export const LATEST_COLUMNS: readonly string[] = [
  ...["retailer", "sku", "title", "brand", "department", "category", "currency"],
  ...["selling_price", "mrp", "discount_pct", "crawl_date", "days_old", "url"],
];

/** The columns of a group, after its name. */
export const GROUP_COLUMNS = ["products", "discounted_products", "discounted_percent", "mean_discount_pct"] as const;

export interface LatestFlags extends FilterFlags, OutputFlags, ListFlags {
  groupBy?: ProductGroup;
  /** Days. */
  maxAge?: number;
  columns?: string;
  demo?: boolean;
}

/** Short names for sort orders of products. */
const SORT_WORDS = {
  price: { column: "selling_price", descending: false },
  age: { column: "days_old", descending: true },
} as const;

/** Which last known prices `catalog latest` shows, and how. */
export interface LatestOptions extends FolderOptions, ListingOptions<"table" | RowFormat> {
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
  const { groupBy, columns } = flags;
  const known = groupBy === undefined ? LATEST_COLUMNS : [groupBy, ...GROUP_COLUMNS];
  return {
    ...parseFolderSource(command, folder, flags, context),
    groupBy,
    maxAge: flags.maxAge,
    output: parseRowsOutput(flags, context),
    list: parseListFlags(flags, known, groupBy === undefined ? SORT_WORDS : {}),
    columns: columns === undefined ? undefined : parseColumns(columns, known),
  };
}
