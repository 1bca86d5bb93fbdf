/** Milliseconds in a day. */
export const DAY = 86_400_000;

/** The UTC day of a time in milliseconds since the epoch, as `YYYY-MM-DD`. */
export function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** Days since 1970-01-01. @param date `YYYY-MM-DD` */
export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY;
}

/** The day `days` after `date`, both `YYYY-MM-DD`. */
export function addDays(date: string, days: number): string {
  return dayOf((dayNumber(date) + days) * DAY);
}

/** The number of days from `first` to `last`, both included and `YYYY-MM-DD`. */
export function daysBetween(first: string, last: string): number {
  return dayNumber(last) - dayNumber(first) + 1;
}

/** A time in milliseconds since the epoch as `2026-01-31 08:15 UTC`. */
export function minuteOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
