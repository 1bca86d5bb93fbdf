import type { Plan } from "./plan.ts";

/** What the requests of a pull are bounded by. */
export interface Pace {
  /** Requests that a window takes; undefined where nothing limits them. */
  limit: number | undefined;
  windowSeconds: number;
  /** Requests that the current window still takes. */
  remaining: number | undefined;
  /** Seconds until the current window ends. */
  resetSeconds: number;
  /** Milliseconds that one request takes. */
  latency: number;
  concurrency: number;
}

/** What a pull will take. */
export interface Estimate {
  rows: number;
  slices: number;
  /** The coverage request, already sent, included. */
  requests: number;
  /** Windows of the rate limit that the requests still to be sent fall into. */
  windows: number;
  seconds: number;
}

/** Foretells a pull from its plan and the service's limits; the one thing it guesses is that requests stay as fast. */
export function estimate(plan: Plan, pace: Pace): Estimate {
  const { limit, windowSeconds, remaining, resetSeconds, latency, concurrency } = pace;
  const sending = (requests: number) =>
    (requests / Math.min(concurrency, Math.max(1, plan.slices.length))) * (latency / 1000);
  const base = { rows: plan.totalRows, slices: plan.slices.length, requests: plan.requests + 1 };
  if (limit === undefined || plan.requests <= (remaining ?? limit)) {
    return { ...base, windows: plan.requests === 0 ? 0 : 1, seconds: sending(plan.requests) };
  }
  const later = plan.requests - (remaining ?? limit);
  const windows = Math.ceil(later / limit);
  const perWindow = Math.max(windowSeconds, sending(limit));
  const last = later - (windows - 1) * limit;
  const now = Math.max(resetSeconds, sending(remaining ?? limit));
  return { ...base, windows: windows + 1, seconds: now + (windows - 1) * perWindow + sending(last) };
}
