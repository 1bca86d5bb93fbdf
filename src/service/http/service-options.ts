import { LIMITS } from "../../contract/limits.ts";

/** Sends the one-time code of a sign-in to an address. @param portal address of the portal that it is for */
export type SendCode = (email: string, code: string, portal: string) => Promise<void>;

/** How people sign in to the developer portal. */
export interface PortalAccess {
  sendCode: SendCode;
  /** Whether the service prints the codes instead of mailing them. The code page says so. */
  codesArePrinted: boolean;
}

/** The options of a service. Each has a documented default. */
export interface ServiceOptions {
  /** Requests of one team per window, catalog and coverage together. */
  rateLimit?: number;
  /** Sample requests of one team per window. */
  sampleRateLimit?: number;
  windowSeconds?: number;
  /** Milliseconds after which a cursor expires. */
  cursorTtl?: number | undefined;
  /** Milliseconds after which a request ends with `upstream_timeout`. */
  queryTimeout?: number | undefined;
  /** Milliseconds that a request may take to arrive completely. Otherwise its connection is closed. */
  requestTimeout?: number;
  /** Milliseconds that the service keeps answering after `/readyz` turned to 503, so that a balancer can switch to other instances. */
  drainDelay?: number;
  /** Address of the host that serves `/errors`, without a final slash. Default: the service itself. */
  errorBase?: string | undefined;
  /** Public address, without a final slash: `https://api.example.com` or `https://example.com/catalog`. Default: the listening address. */
  publicUrl?: string | undefined;
  /** Proxies whose `X-Forwarded-For` is trusted: their number, or their addresses and networks. */
  trustProxy?: number | string | undefined;
  /** How people sign in to the developer portal. Default: nobody can sign in. */
  portal?: PortalAccess | undefined;
  /** Whether the rows are generated demo data. The status feed says so. */
  sampleData?: boolean;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Called with each error that leads to `internal_error`. The response does not contain the error. */
  onUnexpectedError?: (error: unknown, requestId: string) => void;
}

export type AppSettings = ReturnType<typeof withDefaults>;

const HOUR = 3_600_000;

/** The path of the public address, such as `/catalog`; empty without a path. */
export function publicPath({ publicUrl }: Pick<ServiceOptions, "publicUrl">): string {
  return publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/$/, "");
}

export function withDefaults(options: ServiceOptions) {
  return {
    rateLimit: LIMITS.requestsPerWindow.catalog,
    sampleRateLimit: LIMITS.requestsPerWindow.sample,
    windowSeconds: LIMITS.windowSeconds,
    requestTimeout: 30_000,
    drainDelay: 0,
    sampleData: false,
    now: Date.now,
    onUnexpectedError: () => {},
    ...options,
    cursorTtl: options.cursorTtl ?? HOUR,
    queryTimeout: options.queryTimeout ?? 10_000,
    trustProxy: options.trustProxy ?? 0,
  };
}
