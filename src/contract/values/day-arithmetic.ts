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
