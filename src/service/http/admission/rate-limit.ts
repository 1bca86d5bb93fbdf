import type { EndpointGroup } from "../../../contract/limits.ts";
import type { AppSettings } from "../service-options.ts";
import { ServiceProblem } from "../service-problem.ts";

/** The values of the `RateLimit-*` headers, contract section 8 rule 1. */
export interface RateFigures {
  limit: number;
  /** Requests left in the current window. */
  remaining: number;
  /** Whole seconds until the window resets, at least 1. */
  resetSeconds: number;
}

export type FixedWindow = ReturnType<typeof fixedWindow>;

const OVERFLOW = "\0overflow";

/**
 * Counts requests in windows of a fixed length. A key's window starts with its first request. Counting is synchronous,
 * so it is exact with any number of requests in progress. At most `capacity` keys have their own count. Above that, new
 * keys share one count until older windows end.
 */
export function fixedWindow(limit: number, windowSeconds: number, now: () => number, capacity = 100_000) {
  const length = windowSeconds * 1000;
  // In the order in which the windows started, so also in the order in which they end.
  const windows = new Map<string, { startedAt: number; used: number }>();

  function figures(startedAt: number, used: number, time: number): RateFigures {
    const left = startedAt + length - time;
    return { limit, remaining: limit - used, resetSeconds: Math.max(1, Math.ceil(left / 1000)) };
  }

  /** Also drops windows that start in the future, because the clock was set back. */
  function dropEnded(time: number): void {
    for (const [key, { startedAt }] of windows) {
      if (time >= startedAt && time < startedAt + length) {
        return;
      }
      windows.delete(key);
    }
  }

  return {
    /** Counts one request of `key`. `admitted` is false if no requests were left in the window. */
    charge: (key: string): RateFigures & { admitted: boolean } => {
      const time = now();
      dropEnded(time);
      const held = windows.has(key) || windows.size < capacity ? key : OVERFLOW;
      const window = windows.get(held) ?? { startedAt: time, used: 0 };
      const admitted = window.used < limit;
      window.used += admitted ? 1 : 0;
      windows.set(held, window);
      return { ...figures(window.startedAt, window.used, time), admitted };
    },
    /** The figures of `key` without counting a request. Without a key, those of an unused window. */
    peek: (key?: string): RateFigures => {
      const time = now();
      dropEnded(time);
      const { startedAt, used } = (key === undefined ? undefined : windows.get(key)) ?? { startedAt: time, used: 0 };
      return figures(startedAt, used, time);
    },
  };
}

/** The requests that each team has left, by endpoint group (contract section 8). */
export type GroupBudgets = Readonly<Record<EndpointGroup, FixedWindow>>;

export function groupBudgets({ rateLimit, sampleRateLimit, windowSeconds, now }: AppSettings): GroupBudgets {
  return {
    catalog: fixedWindow(rateLimit, windowSeconds, now),
    sample: fixedWindow(sampleRateLimit, windowSeconds, now),
  };
}

/** The headers that every response to a `/v1` request carries. */
export function rateLimitHeaders({ limit, remaining, resetSeconds }: RateFigures): Record<string, string> {
  return {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(resetSeconds),
  };
}

/** The problem of a 429, with the time to wait. */
export function rateLimited(detail: string, figures: RateFigures): ServiceProblem {
  return new ServiceProblem("rate_limited", detail, {
    headers: { ...rateLimitHeaders(figures), "retry-after": String(figures.resetSeconds) },
  });
}
