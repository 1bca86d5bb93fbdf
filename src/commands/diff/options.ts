import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { Context } from "../../cli/context.ts";
import { addSkusFlag, checkBrands } from "../../cli/flags/filter.ts";
import { addPullFlags, parseFolder } from "../../cli/flags/source.ts";
import { dateExpression, type FlagsOf, flagError, onlyOption } from "../../cli/flags/values.ts";
import { OWN_LIST_COLUMNS, type QuestionOptions } from "../../cli/question/declaration.ts";
import { addQuestionFlags, addScopeFlags, parseQuestion } from "../../cli/question/question-flags.ts";
import { isBookmark, sinceDayOrBookmark } from "../../cli/question/since.ts";
import { UsageError } from "../../contract/errors.ts";
import { type DateExpression, isFromLatest, resolveDay } from "../../contract/values/date-expression.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { DIFF_COLUMNS } from "./columns.ts";

export const CHANGES = ["changed", "appeared", "returned", "vanished"] as const;
export type DiffKind = (typeof CHANGES)[number];

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

export function addDiffFlags(command: Command) {
  const own = command
    .option(
      "--from <day>",
      "the earlier day: YYYY-MM-DD, yesterday, 7d, latest or latest-7d (UTC; of a folder alone: latest-7d)",
      dateExpression("--from"),
    )
    .option(
      "--to <day>",
      "the later day (default: yesterday; with --from latest-Nd, and of a folder alone: latest)",
      dateExpression("--to"),
    )
    .option(
      "--since <day>",
      "stands for --from DAY --to latest; of a folder also last: since the last `diff --since last`, or last:NAME of that name",
      sinceDayOrBookmark("--since"),
    )
    .option("--against <dir>", "a folder of `catalog sync` instead of the service: offline, without a key")
    .option("--strict-days", "compare the rows of the two days alone, not last known prices")
    .addOption(new Option("--as-of").hideHelp())
    .addOption(new Option("--no-as-of").hideHelp())
    .addOption(onlyOption(CHANGES))
    .option("--fail-on-empty", "exit with 7 if one of the days has no rows");
  const asked = addQuestionFlags(addSkusFlag(addScopeFlags(own)), {
    columns: [...DIFF_COLUMNS, ...OWN_LIST_COLUMNS],
    sortExample: "to_selling_price",
    sortHelp: ", or drop or rise (default: retailer and sku; in a table changed products first)",
    sortWords: DIFF_SORT_WORDS,
    maxAge: "14d",
  });
  return addPullFlags(asked);
}

type DiffFlags = FlagsOf<typeof addDiffFlags>;

/** @param operand means the same as `--against` */
export function parseDiffOptions(
  command: CommandUnknownOpts,
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
  const day = (text: DateExpression) => resolveDay(text, { today: dayOf(now), latest });
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
