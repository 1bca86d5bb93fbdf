import type { HttpResponse } from "./direct-connections.ts";

/** Milliseconds. If the service asks for a longer wait, the tool ends with an error instead of seeming to hang. */
export const LONGEST_WAIT = 15 * 60_000;

/** Full jitter: a random delay from 0 to base × 2^(attempt − 1), at most the cap. */
const BACKOFF_BASE = 500;
const BACKOFF_CAP = 30_000;

/**
 * Milliseconds to wait after attempt number `attempt` (from 1) has failed, in addition to the wait that its response asks
 * for. `random` is a number from 0 up to 1.
 */
export function backoff(attempt: number, random: number): number {
  return Math.floor(random * Math.min(BACKOFF_CAP, BACKOFF_BASE * 2 ** (attempt - 1)));
}

/**
 * Milliseconds that a response asks to wait; for a 429 without a valid `Retry-After`, the time until the reset.
 *
 * @param now milliseconds since the epoch
 */
export function askedDelay({ status, header }: Pick<HttpResponse, "status" | "header">, now: number): number {
  const reset = status === 429 ? header("ratelimit-reset") : "";
  return readRetryAfter(header("retry-after"), now) ?? (/^\d+$/.test(reset) ? Number(reset) * 1000 : 0);
}

/**
 * Milliseconds that a `Retry-After` header asks to wait: seconds or an HTTP-date, RFC 9110 section 10.2.3. A gateway may add its
 * own to that of the service: then the longest wait counts.
 *
 * @returns undefined if the header is absent or invalid; 0 for a date in the past.
 */
export function readRetryAfter(header: string, now: number): number | undefined {
  // A date has a comma too, before the day of the month.
  const waits = header.split(/,(?! ?\d\d[ -])/).flatMap((text) => readWait(text.trim(), now) ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function readWait(text: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) {
    return Math.ceil(Number(text) * 1000);
  }
  // Date.parse also accepts other texts, such as "-5". All three forms of an HTTP-date begin with the name of a day.
  // That of asctime ends with the year and names no time zone: it is UTC, too.
  const isDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text);
  const time = isDate ? Date.parse(text.replace(/ \d{4}$/, "$& GMT")) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
