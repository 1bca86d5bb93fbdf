import { isCalendarDate } from "../filters.ts";
import { DAY, dayOf } from "./day-arithmetic.ts";

/**
 * A day as a person writes it: `YYYY-MM-DD`, `today`, `yesterday`, `Nd` (N days before today), `latest` (the newest day
 * that has rows) or `latest-Nd`. Kept as text, so that `sync` can resolve it anew in each run.
 */
export type DateExpression = string;

/** The days that relative days refer to, `YYYY-MM-DD` in UTC. */
export interface DayOrigins {
  today: string;
  /** The newest day that has rows. */
  latest: string;
}

/** Whether resolving the day takes a coverage request. */
export function isFromLatest(text: DateExpression): boolean {
  return text.startsWith("latest");
}

const WORDS = new Map([
  ["today", "0d"],
  ["yesterday", "1d"],
  ["latest", "latest-0d"],
]);

/** The day as `YYYY-MM-DD`; undefined if `text` is no date expression, or the year would not have four digits. */
export function resolveDay(text: DateExpression, { today, latest }: DayOrigins): string | undefined {
  if (isCalendarDate(text)) {
    return text;
  }
  const [, prefix, days] = /^(latest-)?(\d{1,6})d$/.exec(WORDS.get(text) ?? text) ?? [];
  const start = Date.parse(prefix === undefined ? today : latest);
  const day = days === undefined || Number.isNaN(start) ? "" : dayOf(start - Number(days) * DAY);
  return isCalendarDate(day) ? day : undefined;
}

export function isDateExpression(text: string): boolean {
  return resolveDay(text, { today: "9000-01-01", latest: "9000-01-01" }) !== undefined;
}
