/** Milliseconds. Asked to wait longer than this, the tool ends and says so instead of seeming to hang. */
export const LONGEST_RETRY_AFTER = 15 * 60_000;

/**
 * Milliseconds that a `Retry-After` header asks to wait: seconds or an HTTP-date, RFC 9110 section 10.2.3.
 *
 * @returns undefined for a header that is absent or neither; 0 for a date in the past.
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) {
    return Math.ceil(Number(text) * 1000);
  }
  // Date.parse takes much that is no HTTP-date, "-5" among it; all three forms of an HTTP-date begin with a day's name.
  const time = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
