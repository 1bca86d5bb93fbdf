import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import { checkBrands } from "../../cli/flags/filter.ts";
import { type PullFlags, parseFolder, type ReadFlags } from "../../cli/flags/source.ts";
import { flagError } from "../../cli/flags/values.ts";
import type { QuestionOptions } from "../../cli/question/declaration.ts";
import { parseQuestion, type QuestionFlags } from "../../cli/question/question-flags.ts";
import { isBookmark } from "../../cli/question/since.ts";
import { UsageError } from "../../contract/errors.ts";
import { type DateExpression, isFromLatest, resolveDay } from "../../contract/values/date-expression.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { DIFF_COLUMNS } from "./columns.ts";

export const CHANGES = ["changed", "appeared", "returned", "vanished"] as const;
export type DiffKind = (typeof CHANGES)[number];

export interface DiffFlags extends QuestionFlags, PullFlags, Pick<ReadFlags, "failOnEmpty"> {
  from?: DateExpression;
  to?: DateExpression;
  since?: string;
  against?: string;
  strictDays?: boolean;
  asOf?: boolean;
  only?: DiffKind[];
}

/** The two days that are compared, the earlier first. */
export interface DayPair {
  from: DateExpression;
  to: DateExpression;
}

/** What `catalog diff` compares and shows. */
export interface DiffOptions extends QuestionOptions {
  /** Undefined if a folder is compared with `since`. */
  days: DayPair | undefined;
  /** Whether the days are pulled from a service. */
  isOfService: boolean;
  /** Whether the rows of the two days alone count, not last known prices. */
  strict: boolean;
  /** The kinds of changes that are written; undefined for the usual ones of the format. */
  only: readonly DiffKind[] | undefined;
  failOnEmpty: boolean;
  concurrency: number;
  /** Requests a minute. */
  maxRate: number | undefined;
}

/** Short names for sort orders. */
export const DIFF_SORT_WORDS = {
  drop: { column: "percent", descending: false },
  rise: { column: "percent", descending: true },
} as const;

/** @param operand means the same as `--against` */
export function parseDiffOptions(
  command: Command,
  operand: string | undefined,
  flags: DiffFlags,
  context: Context,
): DiffOptions {
  const folder = parseFolder(command, "--against", operand, flags.against);
  checkBrands(flags.brand, folder !== undefined);
  const strict = flags.strictDays === true || flags.asOf === false;
  refuseKnownPrices(flags, strict, folder);
  const hasBookmark = flags.since !== undefined && isBookmark(flags.since);
  if (hasBookmark && folder === undefined && !flags.demo) {
    throw flagError(
      "--since",
      `${flags.since} needs a folder of \`catalog sync\`, which remembers the bookmark: name one, such as rows.`,
    );
  }
  const isOfFolder = folder !== undefined || flags.asOf === true || flags.maxAge !== undefined || hasBookmark;
  return {
    ...parseQuestion(command, folder, flags, context, {
      columns: DIFF_COLUMNS,
      sortWords: DIFF_SORT_WORDS,
      maxAge: 14,
    }),
    since: isOfFolder ? flags.since : undefined,
    days: parseDays(flags, isOfFolder, context.now()),
    isOfService: !isOfFolder,
    strict: strict || !isOfFolder,
    only: flags.only,
    failOnEmpty: flags.failOnEmpty === true,
    concurrency: flags.concurrency,
    maxRate: flags.maxRate,
  };
}

/** @returns undefined for a folder that is compared with `--since`, by default with a week before its newest day */
function parseDays({ since, from, to }: DiffFlags, isOfFolder: boolean, now: number): DayPair | undefined {
  const other = from !== undefined ? "--from" : to !== undefined ? "--to" : undefined;
  if (since !== undefined && other !== undefined) {
    throw flagError("--since", `cannot be combined with ${other}: it stands for --from DAY --to latest.`);
  }
  if (isOfFolder && other === undefined) {
    return undefined;
  }
  // Yesterday may be missing where the newest day is meant.
  const usualTo = from !== undefined && isFromLatest(from) ? "latest" : "yesterday";
  const days = since === undefined ? { from, to: to ?? usualTo } : { from: since, to: "latest" };
  if (days.from === undefined) {
    throw flagError("--from", "is missing: name the earlier of the two crawl days, as in --from 7d.");
  }
  const pair = { from: days.from, to: days.to };
  if (!isFromLatest(pair.from) && !isFromLatest(pair.to)) {
    // Refuses wrong days before any request is sent.
    resolvePair(pair, now);
  }
  return pair;
}

/**
 * @param latest the newest day that has rows
 * @throws UsageError if the first is not before the second
 */
export function resolvePair(days: DayPair, now: number, latest = dayOf(now)): { from: string; to: string } {
  const day = (text: DateExpression) => resolveDay(text, { today: dayOf(now), latest }) ?? text;
  const [from, to] = [day(days.from), day(days.to)];
  if (from >= to) {
    throw new UsageError(`--from ${from} is not before --to ${to}; the earlier of the two days comes first.`, {
      flag: "--from",
      value: days.from,
    });
  }
  return { from, to };
}

/** @throws UsageError if flags of last known prices are given where only the two days count */
function refuseKnownPrices({ asOf, maxAge, demo }: DiffFlags, strict: boolean, folder: string | undefined): void {
  const flag = asOf === true ? "--as-of" : maxAge !== undefined ? "--max-age" : undefined;
  if (flag === undefined) {
    return;
  }
  if (strict) {
    throw flagError(
      flag,
      "is about last known prices, which --strict-days does not compare; leave out one of the two.",
    );
  }
  if (folder === undefined && !demo) {
    throw flagError(
      flag,
      "needs the rows of all earlier days, which only a synced folder has: run `catalog sync rows`, then name it: catalog diff rows.",
    );
  }
}
