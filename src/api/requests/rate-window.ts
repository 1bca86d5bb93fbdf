import { LIMITS } from "../../contract/limits.ts";

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

/** One fixed window of the server, as far as its answers tell. Instants are milliseconds of a clock that is never set. */
export interface RateWindow {
  limit: number;
  /** The least that an answer of this window reported; answers come out of order. */
  remaining: number;
  /** What remained when the window was first known. */
  atFirst: number;
  /** Requests of ours that were charged since then, those under way at that instant included. */
  sent: number;
  /** `othersShare` of the window before. */
  shareBefore: number;
  /** The window ends after the one instant and before the other. */
  endsAfter: number;
  endsBefore: number;
}

/** Beyond this the others are too many to guess their next step. */
const LARGEST_SHARE = 8;

/** How many requests of others there were in this window for each of ours, rounded up; 0: we are alone. */
function othersShare({ atFirst, remaining, sent }: RateWindow): number {
  const foreign = Math.max(0, atFirst - sent - remaining);
  return Math.min(LARGEST_SHARE, Math.ceil(foreign / Math.max(1, sent)));
}

/**
 * Requests that may leave now while `inFlight` are under way, which the server may or may not have counted
 * already. Others who share the window are taken to have as many under way for each of ours as they spent.
 */
export function available(window: RateWindow, inFlight: number): number {
  const share = Math.max(window.shareBefore, othersShare(window));
  return window.remaining - (1 + share) * inFlight;
}

/** Counts requests of ours that the window was charged with; a negative number takes back what it refused. */
export function withSent(window: RateWindow, requests: number): RateWindow {
  return { ...window, sent: window.sent + requests };
}

/** The window that begins when `window` is surely over; unspent but for what is under way, as nothing else is known of it. */
export function windowAfter(window: RateWindow, inFlight: number): RateWindow {
  const { limit, endsBefore } = window;
  return {
    limit,
    // A limit of 0 must not keep the one request from leaving that would learn of a better one.
    remaining: Math.max(1, limit),
    atFirst: limit,
    sent: inFlight,
    shareBefore: othersShare(window),
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
  const opened = { limit, remaining, atFirst: remaining, sent: inFlight, endsAfter, endsBefore };
  if (window === undefined) {
    return { ...opened, shareBefore: 0 };
  }
  const begins = window.endsBefore === Infinity;
  const isLate = begins ? endsAfter < window.endsAfter : endsBefore <= window.endsAfter;
  if (isLate) {
    return window;
  }
  if (!begins && endsAfter >= window.endsBefore) {
    return { ...opened, shareBefore: othersShare(window) };
  }
  return {
    ...window,
    limit,
    remaining: Math.min(window.remaining, remaining),
    endsAfter: begins ? endsAfter : Math.max(window.endsAfter, endsAfter),
    endsBefore: Math.min(window.endsBefore, endsBefore),
  };
}
