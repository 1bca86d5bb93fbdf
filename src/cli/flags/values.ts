import { closest } from "../../contract/closest.ts";
import { isCalendarDate } from "../../contract/filters.ts";
import { UsageError } from "../../errors.ts";

const MILLISECONDS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Reads a duration such as `500ms`, `30s`, `2m`, `1h` or `7d`.
 *
 * @returns milliseconds, at least 1.
 * @throws UsageError naming the flag and the value.
 */
export function parseDuration(text: string, flag: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  const milliseconds = match === null ? 0 : Math.round(Number(match[1]) * MILLISECONDS[match[2] as "ms"]);
  if (milliseconds < 1 || !Number.isSafeInteger(milliseconds)) {
    throw new UsageError(`${flag} ${quoted(text)} is not a duration; write a number and a unit: 500ms, 30s, 2m, 1h.`, {
      flag,
      value: text,
    });
  }
  return milliseconds;
}

/**
 * Reads a whole number within bounds.
 *
 * @throws UsageError naming the flag, the value and the bounds.
 */
export function parseWhole(text: string, flag: string, minimum: number, maximum = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value) || value < minimum || value > maximum) {
    const bounds = maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum} up` : `from ${minimum} to ${maximum}`;
    throw new UsageError(`${flag} ${quoted(text)} is not a whole number ${bounds}.`, { flag, value: text });
  }
  return value;
}

const DAY = 86_400_000;

/**
 * Reads a date: `YYYY-MM-DD`, `today`, `yesterday`, or `Nd` for N days before today, in UTC.
 *
 * @throws UsageError naming the flag and the value.
 */
export function parseDate(text: string, flag: string, now: number): string {
  const daysAgo =
    text === "today" ? 0 : text === "yesterday" ? 1 : Number(/^(\d{1,6})d$/.exec(text)?.[1] ?? Number.NaN);
  if (!Number.isNaN(daysAgo)) {
    return new Date(now - daysAgo * DAY).toISOString().slice(0, 10);
  }
  if (!isCalendarDate(text)) {
    const what = /^\d{4}-\d{2}-\d{2}$/.test(text) ? "is not in the calendar" : "is not a date";
    throw new UsageError(
      `${flag} ${quoted(text)} ${what}; write YYYY-MM-DD, today, yesterday, or 7d for seven days ago (UTC).`,
      { flag, value: text, suggestions: closest(text, ["today", "yesterday"], 1) },
    );
  }
  return text;
}

/** A value as it appears in an error: quoted, shortened, and without characters that act on a terminal. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}
