import { groupDigits } from "./cell.ts";
import { formatDuration } from "./duration.ts";

/** What is known of a pull at one moment. */
export interface ProgressState {
  /** Rows so far. */
  rows: number;
  /** Rows there will be, once that is known. */
  total?: number | undefined;
  /** Requests left in the window of the rate limit. */
  requestsLeft?: number | undefined;
  /** Why nothing moves just now, and until when in milliseconds since the epoch. */
  waiting?: { reason: string; until: number } | undefined;
}

/**
 * @param rate rows a second, when it can be told.
 * @param now milliseconds since the epoch.
 * @returns one line, as in `12,500 of 133,822 rows · 9 % · 4,120 rows/s · 30 s left`.
 */
export function progressLine(
  { rows, total, requestsLeft, waiting }: ProgressState,
  rate: number | undefined,
  now: number,
): string {
  const parts = [
    total === undefined ? `${groupDigits(rows)} rows` : `${groupDigits(rows)} of ${groupDigits(total)} rows`,
  ];
  if (total !== undefined && total > 0) {
    parts.push(`${Math.floor((Math.min(rows, total) / total) * 100)} %`);
  }
  if (rate !== undefined) {
    parts.push(`${groupDigits(Math.round(rate))} rows/s`);
  }
  if (total !== undefined && total > rows && rate !== undefined && rate > 0) {
    parts.push(`${formatDuration(((total - rows) / rate) * 1000)} left`);
  }
  if (requestsLeft !== undefined) {
    parts.push(`${groupDigits(requestsLeft)} requests left`);
  }
  if (waiting !== undefined && waiting.until > now) {
    parts.push(`waiting ${formatDuration(waiting.until - now)} ${waiting.reason}`);
  }
  return parts.join(" · ");
}

/** A pause for the rate limit is part of the pace, so the window spans one and the time left stays true. */
const WINDOW = 90_000;
const SHORTEST = 1_000;

/** Rows a second over the last minute and a half. */
export interface RateMeter {
  add(rows: number, now: number): void;
  /** Undefined during the first second, when a rate would be noise. */
  rate(now: number): number | undefined;
}

export function createRateMeter(start: number): RateMeter {
  const samples = [{ at: start, rows: 0 }];
  return {
    add: (rows, now) => {
      // A sample a second at most bounds their number, whatever the number of pages.
      const last = samples.at(-1);
      if (samples.length > 1 && last !== undefined && now - last.at < SHORTEST) {
        last.rows = rows;
      } else {
        samples.push({ at: now, rows });
      }
      while (samples.length > 2 && now - (samples[1]?.at ?? now) > WINDOW) {
        samples.shift();
      }
    },
    rate: (now) => {
      const [oldest] = samples;
      const newest = samples.at(-1);
      if (oldest === undefined || newest === undefined || now - oldest.at < SHORTEST) {
        return undefined;
      }
      return ((newest.rows - oldest.rows) / (now - oldest.at)) * 1000;
    },
  };
}
