import { isCalendarDate } from "../filters.ts";
import { DAY, dayOf } from "./day-arithmetic.ts";

/**
 * A day as a person writes it: `YYYY-MM-DD`, `today`, `yesterday`, `Nd` (N days before today), `latest` (the newest day
 * that has rows) or `latest-Nd`. It is stored as text, so that it is resolved again on each day.
 */
export type DateExpression = string;

/** The days from which relative days are counted, `YYYY-MM-DD` in UTC. */
export interface DayOrigins {
  today: string;
  /** The newest day that has rows. */
  latest: string;
}

/** Whether the day depends on the rows that exist, so that a coverage request is needed. */
export function isFromLatest(text: DateExpression): boolean {
  return text.startsWith("latest");
}

const WORDS = new Map([
  ["today", "0d"],
  ["yesterday", "1d"],
  ["latest", "latest-0d"],
]);

/** The day, `YYYY-MM-DD`; undefined if `text` is not a date expression or the year does not have four digits. */
export function resolveDay(text: DateExpression, { today, latest }: DayOrigins): string | undefined {
  if (isCalendarDate(text)) {
    return text;
  }
  const [, prefix, days] = /^(latest-)?(\d{1,6})d$/.exec(WORDS.get(text) ?? text) ?? [];
  const start = Date.parse(prefix === undefined ? today : latest);
  const day = days === undefined || Number.isNaN(start) ? "" : dayOf(start - Number(days) * DAY);
  return isCalendarDate(day) ? day : undefined;
}

/** Whether a text is a valid date or relative date. */
export function isDateExpression(text: string): boolean {
  return resolveDay(text, { today: "9000-01-01", latest: "9000-01-01" }) !== undefined;
}
