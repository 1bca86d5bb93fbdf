import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import type { Condition } from "../../cli/flags/condition.ts";
import { LIST_FORMATS, type ListingFlags, type ListingOptions, parseListing } from "../../cli/flags/output.ts";
import { type FolderOptions, parseFolderSource, type SourceFlags } from "../../cli/flags/source.ts";
import type { DateExpression } from "../../contract/values/date-expression.ts";
import { MOVER_KINDS, type MoverKind } from "../../folder/prices/movers.ts";
import type { ProductGroup } from "../../folder/prices/observation.ts";

/** Fields of a mover that `--fail-if` may use. */
export const MOVER_FIELDS = ["percent", "selling_price", "before_selling_price", "mrp", "discount_pct"] as const;
export type MoverField = (typeof MOVER_FIELDS)[number];

/** Members of a record in their order, which is also that of the CSV columns. */
export const MOVER_COLUMNS: readonly string[] = [
  ...["kind", "retailer", "sku", "title", "department", "category", "currency"],
  ...["before_date", "before_selling_price", "date", "selling_price", "percent"],
  ...["mrp", "discount_pct", "low_date", "low_selling_price", "brand", "url"],
];

/** All columns but the address, which is looked up for the listed movers only. */
export const SORTABLE = MOVER_COLUMNS.filter((column) => column !== "url");

export interface MoversFlags extends SourceFlags, ListingFlags {
  since?: DateExpression;
  only?: MoverKind[];
  groupBy?: ProductGroup;
  limit: number;
  failIf?: Condition<MoverField>;
}

/** What `catalog movers` compares and shows. */
export interface MoversOptions extends FolderOptions, ListingOptions {
  /** A day, `last` or `last:NAME`. */
  since: DateExpression;
  kinds: readonly MoverKind[];
  groupBy: ProductGroup | undefined;
  /** Most movers of each kind, and of each group if there are groups. */
  limit: number;
  failIf: Condition<MoverField> | undefined;
}

export function parseMoversOptions(
  command: Command,
  folder: string | undefined,
  flags: MoversFlags,
  context: Context,
): MoversOptions {
  return {
    ...parseFolderSource(command, folder, flags, context),
    ...parseListing(flags, LIST_FORMATS, context, SORTABLE),
    since: flags.since ?? "latest-7d",
    kinds: flags.only ?? MOVER_KINDS,
    groupBy: flags.groupBy,
    limit: flags.limit,
    failIf: flags.failIf,
  };
}
