import type { WindowCount } from "../../store/rate-limit-windows.ts";
import type { Store } from "../../store/store.ts";
import { ServiceProblem } from "../service-problem.ts";

/** The values of the `RateLimit-*` headers, contract section 8 rule 1, and whether the last request was within the limit. */
export interface RateFigures {
  admitted: boolean;
  limit: number;
  /** Requests left in the current window. */
  remaining: number;
  /** Whole seconds until the window resets, at least 1. */
  resetSeconds: number;
}

export type FixedWindow = ReturnType<typeof fixedWindow>;

/**
 * A rate limit over windows of a fixed length, each of which begins with the first request of a key. The store counts
 * atomically, so that limits are exact for concurrent requests and across all instances of the service.
 *
 * @param name identifies the limit in the store; the same for all instances
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

  function figures({ endsAt, used }: WindowCount, time: number): RateFigures {
    const resetSeconds = Math.max(1, Math.ceil((endsAt - time) / 1000));
    return { admitted: used <= limit, limit, remaining: Math.max(0, limit - used), resetSeconds };
  }

  return {
    /** Counts one request of `key`. @throws StoreUnavailableError, StoreTimeoutError */
    charge: async (key: string, deadline?: AbortSignal): Promise<RateFigures> => {
      const time = now();
      return figures(await windows.charge(key, time, deadline), time);
    },
    /** Counts one request of the team whose valid key has a secret with this hash. Undefined if there is no such key. */
    chargeTeam: async (hash: string, deadline: AbortSignal) => {
      const time = now();
      const found = await windows.chargeTeam(hash, time, deadline);
      return found && { key: found.key, charge: figures(found, time) };
    },
    /** What the team of this valid key has left, without counting a request. Without such a key, the figures of an unused window. */
    left: async (hash: string, deadline: AbortSignal): Promise<RateFigures> => {
      const time = now();
      return figures((await windows.readTeam(hash, time, deadline)) ?? { endsAt: time + length, used: 0 }, time);
    },
    unused: (): RateFigures => figures({ endsAt: length, used: 0 }, 0),
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
