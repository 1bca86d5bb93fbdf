/** Milliseconds of a day. */
export const DAY = 86_400_000;

/** The day of a moment, `YYYY-MM-DD` in UTC. @param milliseconds since the epoch */
export function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** Days from 1970-01-01 to `date` (`YYYY-MM-DD`). */
export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY;
}

/** The day `days` after `date`, both `YYYY-MM-DD`. */
export function addDays(date: string, days: number): string {
  return dayOf((dayNumber(date) + days) * DAY);
}
