/** Milliseconds. If the service asks for a longer wait, the tool ends with an error instead of seeming to hang. */
export const LONGEST_WAIT = 15 * 60_000;

/** Full jitter: a random delay from 0 to base × 2^(attempt − 1), at most the cap. */
const BACKOFF_BASE = 500;
const BACKOFF_CAP = 30_000;

/** The facts that determine the delay of a retry. */
export interface RetryFacts {
  /** Number of the attempt that failed, from 1. */
  attempt: number;
  /** Of the response and its headers; undefined if there was none. */
  status?: number | undefined;
  retryAfter?: string | undefined;
  rateLimitReset?: string | undefined;
}

/**
 * Milliseconds from `now` (since the epoch) until the next attempt: the wait that the response asks for plus a random part
 * of the backoff. `random` is a number from 0 up to 1.
 */
export function retryDelay(facts: RetryFacts, now: number, random: number): number {
  const ceiling = Math.min(BACKOFF_CAP, BACKOFF_BASE * 2 ** (facts.attempt - 1));
  return askedDelay(facts, now) + Math.floor(random * ceiling);
}

/** Milliseconds that the response asks for; for a 429 without a valid `Retry-After`, the time until the reset. */
export function askedDelay({ retryAfter, rateLimitReset, status }: RetryFacts, now: number): number {
  const fallback = status === 429 && /^\d+$/.test(rateLimitReset ?? "") ? Number(rateLimitReset) * 1000 : 0;
  return readRetryAfter(retryAfter, now) ?? fallback;
}

/**
 * Milliseconds that a `Retry-After` header asks to wait: seconds or an HTTP-date, RFC 9110 section 10.2.3.
 *
 * @returns undefined if the header is absent or invalid; 0 for a date in the past.
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) {
    return Math.ceil(Number(text) * 1000);
  }
  // Date.parse also accepts other texts, such as "-5". All three forms of an HTTP-date begin with the name of a day.
  const time = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
