import { groupDigits } from "../contract/values/phrases.ts";
import { isStdout } from "../export/destination/stdout.ts";
import type { Context } from "./context.ts";
import type { OutputOptions } from "./flags/output.ts";

/** The default limit of a table on a terminal. Every other output has all rows. */
const SHOWN_ROWS = 1000;

export function usualLimit(
  { format, output }: OutputOptions<string>,
  { stdout }: Pick<Context, "stdout">,
  shownRows = SHOWN_ROWS,
): number {
  const isOnTerminal = format === "table" && isStdout(output) && stdout.isTTY === true;
  return isOnTerminal ? shownRows : Number.POSITIVE_INFINITY;
}

/** How to get the rows that a table leaves out. @param limit that of `--limit`, which cuts every format */
export function allRowsHint(limit: number | undefined): string {
  return limit === undefined ? "-f ndjson or -o FILE has them all" : "omit --limit to get all rows";
}

/** @param isWhole whether there are no more than `all` */
export function limitNote(shown: number, all: number, limit: number | undefined, isWhole = true): string {
  return `the first ${groupDigits(shown)} of ${isWhole ? "" : "more than "}${groupDigits(all)}; ${allRowsHint(limit)}`;
}
