import { type Coverage, type CoverageSummary, summaryOf } from "../../contract/coverage.ts";
import { plural } from "../../contract/values/phrases.ts";

/** The combinations that filters match. */
export interface CoverageSet {
  combinations: readonly Coverage[];
  summary: CoverageSummary;
}

/** A combination, or a brand of it. */
export type Part = Coverage & { brand?: string };

/** Rows of a combination, or of a brand of it, on a day. */
export interface DayRows {
  day: string;
  rcd: string;
  brand?: string;
  rows: number;
}

/** What a service or a synced folder has. */
export interface Counts extends CoverageSet {
  /** What groups sum up: the combinations or, with `--group-by brand`, the brands of each. */
  parts: readonly Part[];
  /** The parts without the date filters, for the corpus rows of groups. */
  undated: readonly Part[];
  /** None of a service that was not asked for each day. */
  days: readonly DayRows[];
  /** If nothing matches, the newest day without the date filters; null if there is none, undefined if it is not known. */
  newest: string | null | undefined;
}

export function setOf(combinations: readonly Coverage[]): CoverageSet {
  return { combinations, summary: summaryOf(combinations) };
}

/** Whether the newest day of a set is after today, although the filters include today: a crawler had a wrong clock. */
export function hasLaterDays({ summary }: CoverageSet, { start_date = "" }: { start_date?: string }, today: string) {
  return summary.latest_date !== null && summary.latest_date > today && start_date <= today;
}

/**
 * The set with the newest days that it has up to today, and a warning. Its later rows stay counted.
 *
 * @param known the same set up to today
 */
export function newestUpToToday(
  { combinations, summary }: CoverageSet,
  known: CoverageSet,
  reporter: { warn: (text: string) => void },
): CoverageSet {
  const later = plural(summary.matching_rows - known.summary.matching_rows, "row");
  reporter.warn(`${later} of days after today: these days are never the newest`);
  const newest = new Map(known.combinations.map(({ rcd, latest_date }) => [rcd, latest_date]));
  return {
    combinations: combinations.map((one) => ({ ...one, latest_date: newest.get(one.rcd) ?? one.latest_date })),
    summary: { ...summary, latest_date: known.summary.latest_date },
  };
}
