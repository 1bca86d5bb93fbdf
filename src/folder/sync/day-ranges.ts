import { addDays, dayNumber, daysBetween } from "../../contract/values/day-arithmetic.ts";

/** Days from `first` to `last`, both included, as `YYYY-MM-DD`. */
export interface DayRange {
  first: string;
  last: string;
}

/** Days that are read together. */
export interface Batch extends DayRange {
  /** Expected number of rows. */
  rows: number;
}

export function oneDay(day: string): DayRange {
  return { first: day, last: day };
}

export function daysInRange({ first, last }: DayRange): number {
  return daysBetween(first, last);
}

/** The two halves of a range of two days or more. */
export function halvesOf({ first, last }: DayRange): [DayRange, DayRange] {
  const middle = addDays(first, Math.ceil(daysInRange({ first, last }) / 2) - 1);
  return [
    { first, last: middle },
    { first: addDays(middle, 1), last },
  ];
}

export function isInRange(day: string, { first, last }: DayRange): boolean {
  return day >= first && day <= last;
}

/** Sorts ranges and joins those that overlap or touch. */
export function mergeRanges(ranges: readonly DayRange[]): DayRange[] {
  const merged: DayRange[] = [];
  for (const range of [...ranges].sort((a, b) => (a.first < b.first ? -1 : 1))) {
    const previous = merged.at(-1);
    // By number: the day after 9999-12-31 has no date.
    if (previous === undefined || dayNumber(range.first) > dayNumber(previous.last) + 1) {
      merged.push({ ...range });
    } else if (range.last > previous.last) {
      previous.last = range.last;
    }
  }
  return merged;
}
