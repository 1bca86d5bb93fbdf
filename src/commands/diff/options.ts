import type { Command } from "commander";
import type { Condition } from "../../cli/flags/condition.ts";
import { checkBrands, type FilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { parseGlobals } from "../../cli/flags/global.ts";
import { type ListFlags, parseListFlags } from "../../cli/flags/list.ts";
import { type OutputFlags, parseListOutput } from "../../cli/flags/output.ts";
import type { PullFlags, ReadFlags } from "../../cli/flags/source.ts";
import { parseFolder } from "../../cli/flags/source.ts";
import { flagError, quoted } from "../../cli/flags/values.ts";
import { isLook } from "../../cli/source/since-look.ts";
import type { Context } from "../../context.ts";
import { type DateExpression, isFromLatest } from "../../contract/values/date-expression.ts";
import type { Change } from "../../diff/join.ts";
import { UsageError } from "../../errors.ts";
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

export interface DiffFlags extends FilterFlags, OutputFlags, ListFlags, PullFlags, ReadFlags {
  from?: DateExpression;
  to?: DateExpression;
  /** A day, or `last` or `last:NAME`; never with the other two. */
  since?: DateExpression;
  /** A synced folder to compare instead of the service. */
  against?: string;
  /** Whether last known prices are compared instead of the days themselves; absent to decide by the two days. */
  asOf?: boolean;
  /** Days after which a price is no longer known; absent for never. */
  maxAge?: number;
  /** The kinds of differences that are written; absent for the usual ones of the format. */
  only?: Change[];
  columns?: string[];
  failIf?: Condition<DiffField>;
}

/** Short names for sort orders. */
const SORT_WORDS = {
  drop: { column: "percent", descending: false },
  rise: { column: "percent", descending: true },
} as const;

export type DiffOptions = ReturnType<typeof parseDiffOptions>;

/** @param folder the operand, which means the same as `--against` */
export function parseDiffOptions(command: Command, folder: string | undefined, flags: DiffFlags, context: Context) {
  if (folder !== undefined && flags.against !== undefined) {
    throw new UsageError(`Two folders are named, ${quoted(folder)} and ${quoted(flags.against)}; leave one out.`, {
      flag: "--against",
    });
  }
  checkBrands(flags.brand, folder !== undefined || flags.against !== undefined);
  const { since } = flags;
  const other = flags.from !== undefined ? "--from" : flags.to !== undefined ? "--to" : undefined;
  if (since !== undefined && other !== undefined) {
    throw flagError("--since", `cannot be combined with ${other}: it stands for --from DAY --to latest.`);
  }
  const isAlone = other === undefined;
  const isFolder = folder !== undefined || flags.against !== undefined;
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
  const against = parseFolder(command, "--against", folder ?? flags.against);
  return {
    ...flags,
    globals: parseGlobals(command),
    filters: parseFilters(flags, context.now()),
    from,
    to,
    against,
    asOf: parseAsOf({ ...flags, against }),
    output: parseListOutput(flags, context),
    list: parseListFlags(flags, DIFF_COLUMNS, SORT_WORDS),
  };
}

function parseAsOf({ asOf, maxAge, against, demo }: Omit<DiffFlags, "against"> & { against: string | undefined }) {
  if (maxAge === undefined && asOf !== true) {
    return asOf;
  }
  const flag = asOf === true ? "--as-of" : "--max-age";
  if (asOf === false) {
    throw new UsageError(
      "--max-age limits last known prices, which --no-as-of does not compare; leave out one of the two.",
      { flag },
    );
  }
  if (against === undefined && !demo) {
    throw new UsageError(
      `${flag} needs the rows of all earlier days, which only a synced folder has: run \`catalog sync rows\`, then add --against rows.`,
      { flag },
    );
  }
  return true;
}
