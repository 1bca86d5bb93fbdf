import type { Command } from "commander";
import { checkBrands, type FilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { parseGlobals } from "../../cli/flags/global.ts";
import { type ListFlags, parseListFlags } from "../../cli/flags/list.ts";
import { type OutputFlags, parseRowsOutput } from "../../cli/flags/output.ts";
import type { Context } from "../../context.ts";
import { parseColumns } from "../../output/formats/columns.ts";

export const GROUPS = ["retailer", "department", "category", "brand"] as const;
export type Group = (typeof GROUPS)[number];

/** The columns of a product in their order. */
export const LATEST_COLUMNS: readonly string[] = [
  ...["retailer", "sku", "title", "brand", "department", "category", "currency"],
  ...["selling_price", "mrp", "discount_pct", "crawl_date", "days_old", "url"],
];

/** The columns of a group, after its name. */
export const GROUP_COLUMNS = ["products", "discounted_products", "discounted_percent", "mean_discount_pct"] as const;

export interface LatestFlags extends FilterFlags, OutputFlags, ListFlags {
  groupBy?: Group;
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

export type LatestOptions = ReturnType<typeof parseLatestOptions>;

export function parseLatestOptions(command: Command, folder: string | undefined, flags: LatestFlags, context: Context) {
  checkBrands(flags.brand, true);
  const { groupBy, columns } = flags;
  const known = groupBy === undefined ? LATEST_COLUMNS : [groupBy, ...GROUP_COLUMNS];
  return {
    ...{ ...flags, folder },
    globals: parseGlobals(command),
    filters: parseFilters(flags, context.now()),
    output: parseRowsOutput(flags, context),
    list: parseListFlags(flags, known, groupBy === undefined ? SORT_WORDS : {}),
    /** The columns that are written, in their order. */
    columns: columns === undefined ? known : parseColumns(columns, known),
    hasOwnColumns: columns !== undefined,
  };
}
