import { isCalendarDate } from "../filters.ts";
import { addDays, dayNumber } from "./day-arithmetic.ts";

/**
 * A day as a person writes it: `YYYY-MM-DD`, `today`, `yesterday`, `Nd` (N days before today), `latest` (the newest day
 * that has rows) or `latest-Nd`. Kept as text, so that `sync` can resolve it again in each run.
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

/** The first day of a year of four digits. */
const FIRST_DAY = "0001-01-01";

/** The day as `YYYY-MM-DD`; the first one of the calendar for earlier days. @param text a date expression */
export function resolveDay(text: DateExpression, { today, latest }: DayOrigins): string {
  if (isCalendarDate(text)) {
    return text;
  }
  const relative = relativeDay(text);
  if (relative === undefined) {
    throw new TypeError(`not a date expression: ${text}`);
  }
  const { prefix, days } = relative;
  const origin = prefix === undefined ? today : latest;
  return days < dayNumber(origin) - dayNumber(FIRST_DAY) ? addDays(origin, -days) : FIRST_DAY;
}

export function isDateExpression(text: string): boolean {
  return isCalendarDate(text) || relativeDay(text) !== undefined;
}

/** The days before today or, with a prefix, before the newest day; undefined for any other text. */
function relativeDay(text: string): { prefix: string | undefined; days: number } | undefined {
  const match = /^(latest-)?(\d{1,6})d$/.exec(WORDS.get(text) ?? text);
  return match === null ? undefined : { prefix: match[1], days: Number(match[2]) };
}
