import type { WindowCount } from "../../store/rate-limit-windows.ts";
import type { Store } from "../../store/store.ts";
import { ServiceProblem } from "../service-problem.ts";

/** What a team or an address has left in its window: the values of the `RateLimit-*` headers (contract section 8 rule 1). */
export interface Quota {
  /** Whether the request that was counted last is within the limit. */
  admitted: boolean;
  limit: number;
  /** Requests left in the current window. */
  remaining: number;
  /** Whole seconds until the window resets, at least 1. */
  resetSeconds: number;
}

export type RateLimit = ReturnType<typeof createRateLimit>;

/**
 * A limit of requests by key (a team or an address) in windows of a fixed length, each of which begins with the first request of its
 * key. The store counts atomically, so that limits are exact for concurrent requests and across all instances of the service.
 *
 * @param name identifies the limit in the store; the same for all instances
 */
export function createRateLimit(
  store: Pick<Store, "windows">,
  name: string,
  limit: number,
  windowSeconds: number,
  now: () => number,
) {
  const length = windowSeconds * 1000;
  const windows = store.windows(name, length);

  function quotaOf({ endsAt, used }: WindowCount, time: number): Quota {
    const resetSeconds = Math.max(1, Math.ceil((endsAt - time) / 1000));
    return { admitted: used <= limit, limit, remaining: Math.max(0, limit - used), resetSeconds };
  }

  return {
    /** Counts one request of `key`. @throws StoreUnavailableError, StoreTimeoutError */
    count: async (key: string, deadline?: AbortSignal): Promise<Quota> => {
      const time = now();
      return quotaOf(await windows.count(key, time, deadline), time);
    },
    /** Counts one request of the team whose valid key has a secret with this hash. Undefined if there is no such key. */
    countForTeam: async (hash: string, deadline: AbortSignal) => {
      const time = now();
      const found = await windows.countForTeam(hash, time, deadline);
      return found && { key: found.key, quota: quotaOf(found, time) };
    },
    /** What the team of this valid key has left, without counting a request. Without such a key, a whole quota. */
    left: async (hash: string, deadline: AbortSignal): Promise<Quota> => {
      const time = now();
      return quotaOf((await windows.readForTeam(hash, time, deadline)) ?? { endsAt: time + length, used: 0 }, time);
    },
    /** The quota of a window without requests. */
    whole: (): Quota => quotaOf({ endsAt: length, used: 0 }, 0),
  };
}

/** The headers that every response to a `/v1` request carries. */
export function rateLimitHeaders({ limit, remaining, resetSeconds }: Quota): Record<string, string> {
  return {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(resetSeconds),
  };
}

/** The problem of a 429, with the time to wait. */
export function rateLimited(detail: string, quota: Quota): ServiceProblem {
  return new ServiceProblem("rate_limited", detail, {
    headers: { ...rateLimitHeaders(quota), "retry-after": String(quota.resetSeconds) },
  });
}
