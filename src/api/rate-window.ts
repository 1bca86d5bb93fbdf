import { LIMITS } from "../contract/limits.ts";

/** `RateLimit-Limit`, `-Remaining` and `-Reset` of one answer, contract section 8 rule 1. */
export interface RateHeaders {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** @returns undefined unless all three headers are there and begin with an integer from 0. */
export function readRateHeaders(header: (name: string) => string | undefined): RateHeaders | undefined {
  const [limit, remaining, resetSeconds] = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"].map((name) =>
    Number.parseInt(header(name) ?? "", 10),
  );
  const complete = [limit, remaining, resetSeconds].every((number) => number !== undefined && number >= 0);
  return complete ? ({ limit, remaining, resetSeconds } as RateHeaders) : undefined;
}

/** One fixed window of the server, as far as its answers tell. Instants are milliseconds since the epoch. */
export interface RateWindow {
  limit: number;
  /** The least that an answer of this window reported; answers come out of order. */
  remaining: number;
  /** What `remaining` cannot fall below unless someone else spends, too. */
  ownFloor: number;
  /** The window ends after the one instant and before the other. */
  endsAfter: number;
  endsBefore: number;
}

/** The window that begins when `window` is surely over; unspent but for the `inFlight`, as nothing else is known of it. */
export function windowAfter(window: RateWindow, inFlight: number): RateWindow {
  const { limit, endsBefore } = window;
  // A limit of 0 must not keep the one request from leaving that would learn of a better one.
  return {
    limit,
    remaining: Math.max(1, limit),
    ownFloor: limit - inFlight,
    endsAfter: endsBefore,
    endsBefore: Infinity,
  };
}

/**
 * Takes an answer into account that was sent and received at these instants while `inFlight` other
 * requests were under way. It belongs to `window`, opens a newer one, or is late and of an older one.
 */
export function observe(
  window: RateWindow | undefined,
  { limit, remaining, resetSeconds }: RateHeaders,
  { sentAt, receivedAt }: { sentAt: number; receivedAt: number },
  inFlight: number,
): RateWindow {
  // The server read its clock somewhere between sending and receiving, and may have rounded the seconds
  // up or down; but a whole window is the longest that can be left of it.
  const longestLeft = resetSeconds === LIMITS.windowSeconds ? resetSeconds : resetSeconds + 1;
  const endsAfter = sentAt + Math.max(0, resetSeconds - 1) * 1000;
  const endsBefore = receivedAt + longestLeft * 1000;
  const opened = { limit, remaining, ownFloor: remaining - inFlight, endsAfter, endsBefore };
  if (window === undefined) {
    return opened;
  }
  const begins = window.endsBefore === Infinity;
  if (begins ? endsAfter < window.endsAfter : endsBefore <= window.endsAfter) {
    return window;
  }
  if (!begins && endsAfter >= window.endsBefore) {
    return opened;
  }
  return {
    limit,
    remaining: Math.min(window.remaining, remaining),
    ownFloor: window.ownFloor,
    endsAfter: begins ? endsAfter : Math.max(window.endsAfter, endsAfter),
    endsBefore: Math.min(window.endsBefore, endsBefore),
  };
}
