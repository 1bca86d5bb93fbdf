import { LIMITS } from "../../contract/limits.ts";

/** `RateLimit-Limit`, `-Remaining` and `-Reset` of one response, contract section 8 rule 1. */
export interface RateHeaders {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** @returns undefined unless all three headers exist and begin with an integer of at least 0. */
export function readRateHeaders(header: (name: string) => string): RateHeaders | undefined {
  const [limit, remaining, resetSeconds] = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"].map((name) =>
    Number.parseInt(header(name), 10),
  );
  const complete = [limit, remaining, resetSeconds].every((number) => number !== undefined && number >= 0);
  return complete ? ({ limit, remaining, resetSeconds } as RateHeaders) : undefined;
}

/**
 * The length of a window in seconds, as far as a response shows it: the first response of a window reports all of it, a
 * later one what is left.
 *
 * @param known what earlier responses or the contract say
 */
export function windowSecondsOf(
  { limit, remaining, resetSeconds }: RateHeaders,
  known: number = LIMITS.windowSeconds,
): number {
  return remaining >= limit - 1 ? Math.max(1, resetSeconds) : Math.max(known, resetSeconds);
}

/** One fixed window of the server, as known from its responses. Times are milliseconds of a monotonic clock. */
export interface RateWindow {
  limit: number;
  /** The smallest value reported in this window; responses come out of order. */
  remaining: number;
  /** Remaining requests in the first response of the window. */
  remainingAtFirst: number;
  /** Our requests that were counted since then, including those open at that time. */
  sent: number;
  /** `othersShare` of the previous window. */
  shareBefore: number;
  /** The window ends between these two times. */
  endsAfter: number;
  endsBefore: number;
}

/** Maximum of `othersShare`, an estimate that would hold back our own requests if it were too high. */
const LARGEST_SHARE = 8;

/** Requests of other clients in this window for each of ours, rounded up; 0 if there are none. */
function othersShare({ remainingAtFirst, remaining, sent }: RateWindow): number {
  const foreign = Math.max(0, remainingAtFirst - sent - remaining);
  return Math.min(LARGEST_SHARE, Math.ceil(foreign / Math.max(1, sent)));
}

/**
 * Requests that may leave now while `inFlight` are open, which the server may or may not have counted yet. For each open
 * request of ours, other clients are assumed to have as many open as they have sent per request of ours so far.
 */
export function available(window: RateWindow, inFlight: number): number {
  const share = Math.max(window.shareBefore, othersShare(window));
  return window.remaining - (1 + share) * inFlight;
}

/** @param requests negative to take back refused ones */
export function withSent(window: RateWindow, requests: number): RateWindow {
  return { ...window, sent: window.sent + requests };
}

/** The next window, once `window` has surely ended. Only the open requests are known to count in it. */
export function windowAfter(window: RateWindow, inFlight: number): RateWindow {
  const { limit, endsBefore } = window;
  return {
    limit,
    // With a limit of 0, one request must still leave to learn of a higher limit.
    remaining: Math.max(1, limit),
    remainingAtFirst: limit,
    sent: inFlight,
    shareBefore: othersShare(window),
    endsAfter: endsBefore,
    endsBefore: Infinity,
  };
}

/**
 * Updates the window with a response, given its send and receive times and the number of other open requests. The response
 * belongs to `window`, opens a newer one, or is late and belongs to an older one.
 */
export function observe(
  window: RateWindow | undefined,
  { limit, remaining, resetSeconds }: RateHeaders,
  { sentAt, receivedAt }: { sentAt: number; receivedAt: number },
  inFlight: number,
): RateWindow {
  // The server read its clock between the two times and may have rounded the seconds up or down. At most a whole window
  // can be left.
  const longestLeft = resetSeconds === LIMITS.windowSeconds ? resetSeconds : resetSeconds + 1;
  const endsAfter = sentAt + Math.max(0, resetSeconds - 1) * 1000;
  const endsBefore = receivedAt + longestLeft * 1000;
  const opened = { limit, remaining, remainingAtFirst: remaining, sent: inFlight, endsAfter, endsBefore };
  if (window === undefined) {
    return { ...opened, shareBefore: 0 };
  }
  const isUnseen = window.endsBefore === Infinity;
  const isLate = isUnseen ? endsAfter < window.endsAfter : endsBefore <= window.endsAfter;
  if (isLate) {
    return window;
  }
  if (!isUnseen && endsAfter >= window.endsBefore) {
    return { ...opened, shareBefore: othersShare(window) };
  }
  return {
    ...window,
    limit,
    remaining: Math.min(window.remaining, remaining),
    endsAfter: isUnseen ? endsAfter : Math.max(window.endsAfter, endsAfter),
    endsBefore: Math.min(window.endsBefore, endsBefore),
  };
}
