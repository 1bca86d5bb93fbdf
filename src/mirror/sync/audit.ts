import type { Coverage } from "../../contract/coverage.ts";
import { dayNumber } from "../../contract/values/day-arithmetic.ts";
import type { DayState } from "../folder/folder-state.ts";

type Days = Readonly<Record<string, DayState>>;

/**
 * The days whose counts were compared longest ago. Among days of the same age, every second day comes first: a row that
 * moved to a neighbouring day is found on either of the two days.
 */
export function longestUnchecked(days: Days, count: number): string[] {
  const rank = (day: string) => `${days[day]?.checked ?? ""} ${dayNumber(day) % 2} ${day}`;
  return Object.keys(days)
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .slice(0, count);
}

/**
 * Days that must differ although the total count of a combination is the same, because the first or last day of the
 * combination is not the same as in the copy.
 */
export function edgesThatDiffer(days: Days, coverage: readonly Coverage[]): string[] {
  const held = combinationsIn(days);
  const differing = coverage.flatMap(({ rcd, matching_rows, earliest_date, latest_date }) => {
    const copy = held.get(rcd);
    if (copy?.rows !== matching_rows) {
      return [];
    }
    const [first = "", second = ""] = [copy.first, earliest_date].sort();
    const [last = "", later = ""] = [copy.last, latest_date].sort();
    return [...(first === second ? [] : [first]), ...(last === later ? [] : [later])];
  });
  return [...new Set(differing)];
}

/** The rows of each combination, and its first and last day. */
function combinationsIn(days: Days): Map<string, { rows: number; first: string; last: string }> {
  const held = new Map<string, { rows: number; first: string; last: string }>();
  for (const day of Object.keys(days).sort()) {
    for (const [rcd, rows] of Object.entries(days[day]?.counts ?? {})) {
      const before = held.get(rcd);
      held.set(rcd, { rows: (before?.rows ?? 0) + rows, first: before?.first ?? day, last: day });
    }
  }
  return held;
}

/** The time of this run: always later than all earlier runs, even if the clock is wrong. */
export function timeOfRun(days: Days, now: number): string {
  const after = (time: number, { checked }: DayState) =>
    checked === undefined ? time : Math.max(time, Date.parse(checked) + 1);
  return new Date(Object.values(days).reduce(after, now)).toISOString();
}
