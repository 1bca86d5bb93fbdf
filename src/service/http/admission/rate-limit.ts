import type { EndpointGroup } from "../../../contract/limits.ts";
import type { Store } from "../../store/store.ts";
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

/**
 * Counts requests in windows of a fixed length. A key's window starts with its first request. Each count is one step of the
 * store, so it is exact with any number of requests in progress, and with any number of instances if they share a store.
 *
 * @param name of what is counted, for all instances
 */
export function fixedWindow(
  store: Pick<Store, "windows">,
  name: string,
  limit: number,
  windowSeconds: number,
  now: () => number,
) {
  const length = windowSeconds * 1000;
  const windows = store.windows(name, length);

  function figures(startedAt: number, used: number, time: number): RateFigures {
    const left = startedAt + length - time;
    return { limit, remaining: Math.max(0, limit - used), resetSeconds: Math.max(1, Math.ceil(left / 1000)) };
  }

  return {
    /** Counts one request of `key`. `admitted` is false if no requests were left in the window. @throws StoreUnavailableError */
    charge: async (key: string): Promise<RateFigures & { admitted: boolean }> => {
      const time = now();
      const { startedAt, used } = await windows.charge(key, time);
      return { ...figures(startedAt, used, time), admitted: used <= limit };
    },
    /** The figures of `key` without counting a request. @throws StoreUnavailableError */
    peek: async (key: string): Promise<RateFigures> => {
      const time = now();
      const { startedAt, used } = (await windows.read(key, time)) ?? { startedAt: time, used: 0 };
      return figures(startedAt, used, time);
    },
    /** The figures of an unused window. */
    unused: (): RateFigures => figures(0, 0, 0),
  };
}

/** The requests that each team has left, by endpoint group (contract section 8). */
export type GroupBudgets = Readonly<Record<EndpointGroup, FixedWindow>>;

export function groupBudgets(
  store: Store,
  { rateLimit, sampleRateLimit, windowSeconds, now }: AppSettings,
): GroupBudgets {
  return {
    catalog: fixedWindow(store, "catalog", rateLimit, windowSeconds, now),
    sample: fixedWindow(store, "sample", sampleRateLimit, windowSeconds, now),
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
