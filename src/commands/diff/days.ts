import type { Reporter } from "../../cli/reporter.ts";
import { UsageError } from "../../contract/errors.ts";
import { type DateExpression, isFromLatest, resolveDay } from "../../contract/values/date-expression.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import type { DiffSummary } from "../../folder/diff/compare.ts";
import type { Difference, Side } from "../../folder/diff/join.ts";

/** The two compared days and the source of their rows. */
export interface ComparedDays {
  /** The two crawl days, `YYYY-MM-DD`, the earlier first. */
  from: string;
  to: string;
  /** Whether the last known prices up to the days are compared, not the rows of the days themselves. */
  asOf: boolean;
  /** Passes on all differences, and reports the expected rows and the rows read so far. */
  compare(
    progress: { onTotal?: (rows: number) => void; onRows?: (rows: number) => void },
    onDifferences: (differences: readonly Difference[]) => Promise<void>,
  ): Promise<DiffSummary>;
  reporter: Reporter;
  /** Aborted when the command is interrupted or its `--max-time` is over. */
  signal: AbortSignal;
  /** Describes the days that have rows (`crawled from … to …`); undefined if no day has any. */
  daysWithRows(empty: readonly string[]): Promise<string | undefined>;
}

/** Looks up the newest day only if one of the two is relative to it. */
export async function resolveDaysOf(
  days: Record<Side, DateExpression>,
  now: number,
  newestDay: () => Promise<string | null | undefined>,
): Promise<Record<Side, string>> {
  const hasLatest = isFromLatest(days.from) || isFromLatest(days.to);
  return resolveDayPair(days, now, hasLatest ? ((await newestDay()) ?? undefined) : undefined);
}

/**
 * Resolves the two days to `YYYY-MM-DD`.
 *
 * @param latest the newest day that has rows
 * @throws UsageError if the first is not before the second
 */
export function resolveDayPair(
  days: Record<Side, DateExpression>,
  now: number,
  latest = dayOf(now),
): Record<Side, string> {
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
