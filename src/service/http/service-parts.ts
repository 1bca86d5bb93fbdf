import type { Store } from "../store/store.ts";
import { createRateLimit } from "./admission/rate-limit.ts";
import { createMeasurements } from "./measurements.ts";
import { type ServiceOptions, withDefaults } from "./service-options.ts";

/** Matches paths below `/v1` and `/api/v1`. Its group matches only for the sample endpoint. */
const VERSIONED = /^\/(?:api\/)?v1(?![^/?])(\/sample(?![^/?]))?/;

/** Failed authentications of one source address per window, before it gets a 429. */
const FAILED_ATTEMPTS = 20;

export type ServiceParts = ReturnType<typeof createParts>;

/** What the routes of a service share. */
export function createParts(store: Store, options: ServiceOptions) {
  const settings = withDefaults(options);
  const { now, windowSeconds, rateLimit, sampleRateLimit, publicUrl, errorBase } = settings;
  const limitOf = (name: string, limit: number) => createRateLimit(store, name, limit, windowSeconds, now);
  let listeningUrl = "";
  const base = (): string => publicUrl ?? listeningUrl;
  /** The rate limits of teams, by endpoint group (contract section 8). */
  const rateLimits = { catalog: limitOf("catalog", rateLimit), sample: limitOf("sample", sampleRateLimit) };
  return {
    store,
    settings,
    rateLimits,
    /** The rate limit of requests with this path. Undefined outside `/v1`, where responses have no limit headers. */
    rateLimitOf: (path: string) => {
      const [versioned, sample] = VERSIONED.exec(path) ?? [];
      return versioned === undefined ? undefined : sample === undefined ? rateLimits.catalog : rateLimits.sample;
    },
    /** The rate limit of failed authentications, by source address. */
    failedAttempts: limitOf("failed", FAILED_ATTEMPTS),
    measurements: createMeasurements(store, now),
    /** Address of the service, without a final slash. */
    base,
    /** Address of the host of the error catalogue, to which the `type` of each problem links. */
    errorBase: (): string => errorBase ?? base(),
    listensAt: (url: string): void => {
      listeningUrl = url;
    },
  };
}
