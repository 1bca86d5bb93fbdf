import type { EndpointGroup } from "../../../contract/limits.ts";
import type { AppSettings } from "../service-options.ts";

/** The values of the `RateLimit-*` headers, contract section 8 rule 1. */
export interface RateFigures {
  limit: number;
  /** Requests left in the current window. */
  remaining: number;
  /** Whole seconds until the window resets, at least 1. */
  resetSeconds: number;
}

interface Window {
  startedAt: number;
  used: number;
}

const OVERFLOW = "\0overflow";

/**
 * Counts requests in windows of a fixed length. A key's window starts with its first request. Counting is synchronous,
 * so it is exact with any number of requests in progress. At most `capacity` keys have their own count. Above that, new
 * keys share one count until older windows end.
 */
export class FixedWindow {
  readonly #limit: number;
  readonly #milliseconds: number;
  readonly #now: () => number;
  readonly #capacity: number;
  // In the order in which the windows started, so also in the order in which they end.
  readonly #windows = new Map<string, Window>();

  constructor(limit: number, windowSeconds: number, now: () => number, capacity = 100_000) {
    this.#limit = limit;
    this.#milliseconds = windowSeconds * 1000;
    this.#now = now;
    this.#capacity = capacity;
  }

  /** Counts one request of `key`. `admitted` is false if no requests were left in the window. */
  charge(key: string): RateFigures & { admitted: boolean } {
    const time = this.#now();
    this.#dropEnded(time);
    const held = this.#windows.has(key) || this.#windows.size < this.#capacity ? key : OVERFLOW;
    const window = this.#windows.get(held) ?? { startedAt: time, used: 0 };
    const admitted = window.used < this.#limit;
    window.used += admitted ? 1 : 0;
    this.#windows.set(held, window);
    return { ...this.#figures(window, time), admitted };
  }

  /** The figures of an unused window. */
  unused(): RateFigures {
    const time = this.#now();
    return this.#figures({ startedAt: time, used: 0 }, time);
  }

  #figures({ startedAt, used }: Window, time: number): RateFigures {
    const left = startedAt + this.#milliseconds - time;
    return { limit: this.#limit, remaining: this.#limit - used, resetSeconds: Math.max(1, Math.ceil(left / 1000)) };
  }

  /** Also drops windows that start in the future, because the clock was set back. */
  #dropEnded(time: number): void {
    for (const [key, { startedAt }] of this.#windows) {
      if (time >= startedAt && time < startedAt + this.#milliseconds) {
        return;
      }
      this.#windows.delete(key);
    }
  }
}

/** The requests that each team has left, by endpoint group (contract section 8). */
export type GroupBudgets = Readonly<Record<EndpointGroup, FixedWindow>>;

export function groupBudgets({ rateLimit, sampleRateLimit, windowSeconds, now }: AppSettings): GroupBudgets {
  return {
    catalog: new FixedWindow(rateLimit, windowSeconds, now),
    sample: new FixedWindow(sampleRateLimit, windowSeconds, now),
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

/** The headers of a 429, with the time to wait. */
export function refusalHeaders(figures: RateFigures): Record<string, string> {
  return { ...rateLimitHeaders(figures), "retry-after": String(figures.resetSeconds) };
}
