import { isCalendarDate } from "./filters.ts";

/**
 * A day as a person writes it: `YYYY-MM-DD`, `today`, `yesterday`, `Nd` (N days before today), `latest` (the newest day
 * that has rows) or `latest-Nd`. It is kept as text, so that a stored one moves on with the days.
 */
export type DateExpression = string;

/** The days, `YYYY-MM-DD` in UTC, that relative days are counted from. */
export interface DayOrigins {
  today: string;
  /** The newest day that has rows. */
  latest: string;
}

const DAY = 86_400_000;

/** Whether the day depends on the existing rows, so that the service must be asked. */
export function isFromLatest(text: DateExpression): boolean {
  return text.startsWith("latest");
}

/** The day that is meant, `YYYY-MM-DD`; undefined if `text` is no such expression or the day has no four-digit year. */
export function resolveDay(text: DateExpression, origins: DayOrigins): string | undefined {
  if (isCalendarDate(text)) {
    return text;
  }
  const [, word, origin = word === "latest" ? "latest" : "today", days = word === "yesterday" ? "1" : "0"] =
    /^(?:(today|yesterday|latest)|(?:(latest)-)?(\d{1,6})d)$/.exec(text) ?? ["", undefined, "", ""];
  const start = Date.parse(origins[origin as keyof DayOrigins] ?? "");
  const day = Number.isNaN(start) ? "" : new Date(start - Number(days) * DAY).toISOString().slice(0, 10);
  return isCalendarDate(day) ? day : undefined;
}

/** Whether a text is a valid date or relative date. */
export function isDateExpression(text: string): boolean {
  return resolveDay(text, { today: "9000-01-01", latest: "9000-01-01" }) !== undefined;
}

/** The day of a moment, `YYYY-MM-DD` in UTC. */
export function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
