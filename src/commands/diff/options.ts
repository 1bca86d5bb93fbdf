import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import type { Condition } from "../../cli/flags/condition.ts";
import { checkBrands } from "../../cli/flags/filter.ts";
import { LIST_FORMATS, type ListingFlags, type ListingOptions, parseListing } from "../../cli/flags/output.ts";
import {
  type FolderOptions,
  type PullFlags,
  parseFolder,
  parseSource,
  type ReadFlags,
} from "../../cli/flags/source.ts";
import { flagError } from "../../cli/flags/values.ts";
import { isLook } from "../../cli/source/since-look.ts";
import { type DateExpression, isFromLatest } from "../../contract/values/date-expression.ts";
import type { Change } from "../../folder/diff/join.ts";
import { resolveDayPair } from "./days.ts";
import { DIFF_COLUMNS } from "./record.ts";

/** Fields of a difference that `--fail-if` may use. */
export const DIFF_FIELDS = [
  "percent",
  "from_selling_price",
  "to_selling_price",
  "from_discount_pct",
  "to_discount_pct",
] as const;
export type DiffField = (typeof DIFF_FIELDS)[number];

export interface DiffFlags extends ReadFlags, ListingFlags, PullFlags {
  from?: DateExpression;
  to?: DateExpression;
  since?: DateExpression;
  against?: string;
  asOf?: boolean;
  maxAge?: number;
  only?: Change[];
  failIf?: Condition<DiffField>;
}

/** Short names for sort orders. */
const SORT_WORDS = {
  drop: { column: "percent", descending: false },
  rise: { column: "percent", descending: true },
} as const;

/** What `catalog diff` compares and shows. */
export interface DiffOptions extends FolderOptions, ListingOptions {
  /** The earlier day, or `last` or `last:NAME` for the day of a look. */
  from: DateExpression;
  to: DateExpression;
  /** Whether last known prices are compared, not the days themselves; undefined to decide by the two days. */
  asOf: boolean | undefined;
  /** Days after which a price is no longer known; undefined for never. */
  maxAge: number | undefined;
  /** The kinds of differences that are written; undefined for the usual ones of the format. */
  only: readonly Change[] | undefined;
  failIf: Condition<DiffField> | undefined;
  failOnEmpty: boolean;
  concurrency: number;
  /** Most requests a minute. */
  maxRate: number | undefined;
}

/** @param operand means the same as `--against` */
export function parseDiffOptions(
  command: Command,
  operand: string | undefined,
  flags: DiffFlags,
  context: Context,
): DiffOptions {
  const folder = parseFolder(command, "--against", operand, flags.against);
  const isFolder = folder !== undefined;
  checkBrands(flags.brand, isFolder);
  const { since } = flags;
  const other = flags.from !== undefined ? "--from" : flags.to !== undefined ? "--to" : undefined;
  if (since !== undefined && other !== undefined) {
    throw flagError("--since", `cannot be combined with ${other}: it stands for --from DAY --to latest.`);
  }
  const isAlone = other === undefined;
  // A folder alone means its last week, as for `catalog movers`.
  if (since !== undefined && isLook(since) && !isFolder && !flags.demo) {
    throw flagError(
      "--since",
      `${since} needs a folder of \`catalog sync\`, which remembers the look: name one, such as rows.`,
    );
  }
  const sinceThen = { from: since ?? "latest-7d", to: "latest" };
  const { from, to = "yesterday" } = isAlone && (isFolder || since !== undefined) ? sinceThen : flags;
  if (from === undefined) {
    throw flagError("--from", "is missing: name the earlier of the two crawl days, as in --from 7d.");
  }
  if (!isLook(from) && !isFromLatest(from) && !isFromLatest(to)) {
    // Refuses wrong days before any request is sent.
    resolveDayPair({ from, to }, context.now());
  }
  return {
    ...parseSource(command, flags, context),
    folder,
    brands: flags.brand,
    from,
    to,
    asOf: parseAsOf(flags, folder),
    maxAge: flags.maxAge,
    only: flags.only,
    failIf: flags.failIf,
    failOnEmpty: flags.failOnEmpty === true,
    concurrency: flags.concurrency,
    maxRate: flags.maxRate,
    ...parseListing(flags, LIST_FORMATS, context, DIFF_COLUMNS, SORT_WORDS),
  };
}

function parseAsOf({ asOf, maxAge, demo }: DiffFlags, folder: string | undefined): boolean | undefined {
  if (maxAge === undefined && asOf !== true) {
    return asOf;
  }
  const flag = asOf === true ? "--as-of" : "--max-age";
  if (asOf === false) {
    throw flagError(flag, "limits last known prices, which --no-as-of does not compare; leave out one of the two.");
  }
  if (folder === undefined && !demo) {
    throw flagError(
      flag,
      "needs the rows of all earlier days, which only a synced folder has: run `catalog sync rows`, then add --against rows.",
    );
  }
  return true;
}
