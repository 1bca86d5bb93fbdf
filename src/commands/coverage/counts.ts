import type { Reporter } from "../../cli/reporter.ts";
import { type Coverage, type CoverageSummary, summaryOf } from "../../contract/coverage.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { plural } from "../../contract/values/phrases.ts";
import type { SetFilters } from "../../pull/set-filters.ts";

/** The combinations that filters match. */
export interface CoverageSet {
  combinations: readonly Coverage[];
  summary: CoverageSummary;
}

/** A combination, or a brand of it. */
export type Part = Coverage & { brand?: string };

/** Rows of a combination on a day, which may come in parts. */
export interface DayRows {
  day: string;
  rcd: string;
  rows: number;
}

export interface Counts extends CoverageSet {
  /** What groups sum up: the combinations or, with `--group-by brand`, the brands of each. */
  parts: readonly Part[];
  /** The parts without the date filters, for the corpus rows of groups. */
  undated: readonly Part[];
  /** Those of a service only with `--group-by day`: each takes a request. */
  days: readonly DayRows[];
  /** If nothing matches, the newest day without the date filters; null if there is none, undefined if it is not known. */
  newest: string | null | undefined;
}

export function setOf(combinations: readonly Coverage[]): CoverageSet {
  return { combinations, summary: summaryOf(combinations) };
}

/**
 * The set with its newest days up to today (UTC). Warns of rows with later days, which a crawler with a wrong clock writes; they
 * are still counted.
 *
 * @param ask reads the same set on other days
 */
export async function upToToday(
  set: CoverageSet,
  { filters, reporter }: { filters: SetFilters; reporter: Pick<Reporter, "warn"> },
  now: number,
  ask: (filters: SetFilters) => CoverageSet | Promise<CoverageSet>,
): Promise<CoverageSet> {
  const { combinations, summary } = set;
  const today = dayOf(now);
  const { start_date = today } = filters;
  if (summary.latest_date === null || summary.latest_date <= today || start_date > today) {
    return set;
  }
  const known = await ask({ ...filters, end_date: today });
  const later = plural(summary.matching_rows - known.summary.matching_rows, "row");
  reporter.warn(`${later} dated after today; these days do not count as the newest`);
  return {
    combinations: withNewestOf(combinations, known.combinations),
    summary: { ...summary, latest_date: known.summary.latest_date },
  };
}

/** Gives each part its newest day in `known`, if it is there. */
export function withNewestOf<One extends Part>(parts: readonly One[], known: readonly Part[]): One[] {
  const keyOf = ({ rcd, brand = "" }: Part) => `${rcd} ${brand}`;
  const newest = new Map(known.map((part) => [keyOf(part), part.latest_date]));
  return parts.map((part) => ({ ...part, latest_date: newest.get(keyOf(part)) ?? part.latest_date }));
}
