import { LIMITS } from "../../contract/limits.ts";
import type { PortalAccess } from "../portal/console/parts.ts";

/** The options of a service; each has a published default. */
export interface ServiceOptions {
  /** Requests a window for one team: catalog and coverage together. */
  rateLimit?: number;
  /** Requests a window for one team: sample. */
  sampleRateLimit?: number;
  windowSeconds?: number;
  /** Milliseconds after which a cursor expires. */
  cursorTtl?: number;
  /** Milliseconds after which a request ends with `upstream_timeout`. */
  queryTimeout?: number;
  /** Address of the host that serves `/errors`, without a final slash; the service's own when absent. */
  errorBase?: string;
  /** Origin under which the service is reached, such as `https://api.example.com`; the listening address when absent. */
  publicUrl?: string;
  /** Proxies whose `X-Forwarded-For` is trusted: their number, or their addresses and networks. */
  trustProxy?: number | string;
  /** How people sign in to the developer portal; it is not offered when absent. */
  portal?: PortalAccess;
  /** Whether the rows are generated demo data; published in the status feed. */
  sampleData?: boolean;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Called with each error that became `internal_error`, because the response does not contain it. */
  onUnexpectedError?: (error: unknown, requestId: string) => void;
}

/** Options whose absence has a meaning. */
type Optional = "errorBase" | "publicUrl" | "portal";

export type AppSettings = Required<Omit<ServiceOptions, Optional>> & Pick<ServiceOptions, Optional>;

/** Failed authentications a window that one source address may cause before it is answered with 429. */
export const FAILED_ATTEMPTS_PER_WINDOW = 20;

const HOUR = 3_600_000;

export function withDefaults(options: ServiceOptions): AppSettings {
  return {
    rateLimit: LIMITS.requestsPerWindow.catalog,
    sampleRateLimit: LIMITS.requestsPerWindow.sample,
    windowSeconds: LIMITS.windowSeconds,
    cursorTtl: HOUR,
    queryTimeout: 10_000,
    trustProxy: 0,
    sampleData: false,
    now: Date.now,
    onUnexpectedError: () => {},
    ...options,
  };
}
