import { NetworkError } from "../../contract/errors.ts";
import { onAbort } from "../../contract/values/timer.ts";
import { available, observe, type RateHeaders, type RateWindow, windowAfter, withSent } from "./rate-window.ts";
import { LONGEST_WAIT } from "./retry-timing.ts";

/** Maximum of open requests in one group. Each has its own connection. */
export const MAX_IN_FLIGHT = 64;

/** Milliseconds added to the end of a window, because the clocks of both sides drift. */
const MARGIN = 50;

export interface BudgetOptions {
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Requests a minute, spread evenly, to use less than the service allows. */
  maxRate?: number | undefined;
  /** Called when no request can leave for `milliseconds`. */
  onWait?: (milliseconds: number) => void;
}

/** The headers of a response that matter for pacing. */
export interface PacingHeaders {
  status: number;
  rate: RateHeaders | undefined;
  /** Milliseconds to wait from now, as a 429 asks; 0 if none. */
  asked: number;
}

/** Permission to send one request. */
export interface Permit {
  /** The headers have arrived. */
  answered(observation: PacingHeaders): void;
  /** The request is over; does nothing after `answered`. */
  release(): void;
}

/**
 * Paces the requests of one endpoint group so that it never sends more than the server's window has left.
 *
 * Until a response reports the limit, only one request is open at a time. After that, requests leave while the window has
 * more requests left than are open. When the window is spent, requests wait until its latest possible end. A service
 * without `RateLimit` headers is not paced.
 */
export function createBudget({ now, sleep, maxRate, onWait }: BudgetOptions) {
  const waiting: Waiting[] = [];
  let inFlight = 0;
  let window: RateWindow | undefined;
  let unlimited = false;
  let blockedUntil = 0;
  let nextSlot = 0;
  let wake: AbortController | undefined;
  /** The end of the last pause that was reported. */
  let reportedPause = 0;
  return { acquire };

  /**
   * Resolves when a request may leave, first come, first served. Rejects with the reason of `signal`, or with a
   * NetworkError if the window lasts longer than the tool waits.
   */
  function acquire(signal: AbortSignal): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const request: Waiting = {
        grant: () => {
          stopListening();
          resolve(permit());
        },
        refuse: (error) => {
          stopListening();
          reject(error);
        },
      };
      waiting.push(request);
      const stopListening = onAbort(signal, () => {
        waiting.splice(waiting.indexOf(request), 1);
        reject(signal.reason);
        pump();
      });
      pump();
    });
  }

  function permit(): Permit {
    const sentAt = now();
    let open = true;
    inFlight += 1;
    if (window !== undefined) {
      window = withSent(window, 1);
    }
    if (maxRate !== undefined) {
      nextSlot = Math.max(nextSlot, sentAt) + 60_000 / maxRate;
    }
    const close = (settle: () => void) => {
      if (open) {
        open = false;
        inFlight -= 1;
        settle();
        pump();
      }
    };
    return {
      answered: (observation) => close(() => noteHeaders(observation, sentAt)),
      release: () => close(() => {}),
    };
  }

  function noteHeaders({ status, rate, asked }: PacingHeaders, sentAt: number): void {
    const receivedAt = now();
    blockedUntil = Math.max(blockedUntil, receivedAt + asked);
    if (rate === undefined) {
      // The error page of a gateway does not show whether the service behind it has a limit.
      unlimited ||= status === 200 && window === undefined;
      return;
    }
    unlimited = false;
    const seen = observe(window, rate, { sentAt, receivedAt }, inFlight);
    window = status === 429 ? withSent(seen, -1) : seen;
  }

  /** Grants the permits that are possible now and schedules the next check. */
  function pump(): void {
    for (;;) {
      const next = waiting[0];
      const delay = next === undefined ? Infinity : delayOfNext();
      if (next !== undefined && delay > LONGEST_WAIT && inFlight === 0) {
        refuseAll(delay);
        return;
      }
      if (next === undefined || delay > 0) {
        // An open request may still report a shorter window.
        wakeAfter(delay > LONGEST_WAIT ? Infinity : delay);
        return;
      }
      waiting.shift();
      next.grant();
    }
  }

  function refuseAll(delay: number): void {
    const left = `${Math.ceil(delay / 1000)} s more; the tool waits for at most ${LONGEST_WAIT / 1000} s`;
    const message = `The service's rate limit is spent, and its window lasts ${left}`;
    for (const { refuse } of waiting.splice(0)) {
      refuse(new NetworkError(message));
    }
  }

  /** Milliseconds until a request may leave; `Infinity` if a response must come first. */
  function delayOfNext(): number {
    const time = now();
    if (inFlight >= MAX_IN_FLIGHT) {
      return Infinity;
    }
    const notBefore = Math.max(blockedUntil, nextSlot);
    if (time < notBefore) {
      return notBefore - time;
    }
    if (unlimited) {
      return 0;
    }
    if (window === undefined) {
      return inFlight === 0 ? 0 : Infinity;
    }
    if (time >= window.endsBefore + MARGIN) {
      window = windowAfter(window, inFlight);
    }
    return available(window, inFlight) > 0 ? 0 : window.endsBefore + MARGIN - time;
  }

  /** Schedules the next check in place of an earlier one. `Infinity`: only a response can change anything. */
  function wakeAfter(delay: number): void {
    wake?.abort();
    wake = undefined;
    if (delay === Infinity) {
      return;
    }
    const at = now() + delay;
    // A pause is reported once, and only when no request is open; this may be later than the pause was planned.
    if (inFlight === 0 && Math.abs(at - reportedPause) >= 1) {
      reportedPause = at;
      onWait?.(Math.ceil(delay));
    }
    wake = new AbortController();
    sleep(Math.ceil(delay), wake.signal).then(pump, () => {});
  }
}

export type Budget = ReturnType<typeof createBudget>;

interface Waiting {
  grant: () => void;
  refuse: (error: NetworkError) => void;
}
