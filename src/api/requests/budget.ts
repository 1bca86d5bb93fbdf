import { NetworkError } from "../../errors.ts";
import { onAbort } from "../../timer.ts";
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
  /** Milliseconds to wait from now, as a 429 asks. */
  retryAfter: number | undefined;
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
export class Budget {
  readonly #options: BudgetOptions;
  readonly #waiting: Waiting[] = [];
  #inFlight = 0;
  #window: RateWindow | undefined;
  #unlimited = false;
  #blockedUntil = 0;
  #nextSlot = 0;
  #wake: Wake | undefined;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /**
   * Resolves when a request may leave, first come, first served. Rejects with the reason of `signal`, or with a
   * NetworkError if the window lasts longer than the tool waits.
   */
  acquire(signal: AbortSignal): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        grant: () => {
          stopListening();
          resolve(this.#permit());
        },
        refuse: (error) => {
          stopListening();
          reject(error);
        },
      };
      this.#waiting.push(waiting);
      const stopListening = onAbort(signal, () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
        this.#pump();
      });
      this.#pump();
    });
  }

  #permit(): Permit {
    const { now, maxRate } = this.#options;
    const sentAt = now();
    let open = true;
    this.#inFlight += 1;
    if (this.#window !== undefined) {
      this.#window = withSent(this.#window, 1);
    }
    if (maxRate !== undefined) {
      this.#nextSlot = Math.max(this.#nextSlot, sentAt) + 60_000 / maxRate;
    }
    const close = (settle: () => void) => {
      if (open) {
        open = false;
        this.#inFlight -= 1;
        settle();
        this.#pump();
      }
    };
    return {
      answered: (observation) => close(() => this.#observe(observation, sentAt)),
      release: () => close(() => {}),
    };
  }

  #observe({ status, rate, retryAfter }: PacingHeaders, sentAt: number): void {
    const receivedAt = this.#options.now();
    this.#blockedUntil = Math.max(this.#blockedUntil, receivedAt + (retryAfter ?? 0));
    if (rate === undefined) {
      // The error page of a gateway does not show whether the service behind it has a limit.
      this.#unlimited ||= status === 200 && this.#window === undefined;
      return;
    }
    this.#unlimited = false;
    const window = observe(this.#window, rate, { sentAt, receivedAt }, this.#inFlight);
    this.#window = status === 429 ? withSent(window, -1) : window;
  }

  /** Grants the permits that are possible now and schedules the next check. */
  #pump(): void {
    for (;;) {
      const next = this.#waiting[0];
      const delay = next === undefined ? Infinity : this.#delay();
      if (next !== undefined && delay > LONGEST_WAIT && this.#inFlight === 0) {
        this.#refuseAll(delay);
        return;
      }
      if (next === undefined || delay > 0) {
        // An open request may still report a shorter window.
        this.#wakeAfter(delay > LONGEST_WAIT ? Infinity : delay);
        return;
      }
      this.#waiting.shift();
      next.grant();
    }
  }

  #refuseAll(delay: number): void {
    const left = `${Math.ceil(delay / 1000)} s more; the tool waits for at most ${LONGEST_WAIT / 1000} s`;
    const message = `The service's rate limit is spent, and its window lasts ${left}`;
    for (const { refuse } of this.#waiting.splice(0)) {
      refuse(new NetworkError(message, { attempts: 0 }));
    }
  }

  /** Milliseconds until a request may leave; `Infinity` if a response must come first. */
  #delay(): number {
    const now = this.#options.now();
    if (this.#inFlight >= MAX_IN_FLIGHT) {
      return Infinity;
    }
    const notBefore = Math.max(this.#blockedUntil, this.#nextSlot);
    if (now < notBefore) {
      return notBefore - now;
    }
    if (this.#unlimited) {
      return 0;
    }
    if (this.#window === undefined) {
      return this.#inFlight === 0 ? 0 : Infinity;
    }
    if (now >= this.#window.endsBefore + MARGIN) {
      this.#window = windowAfter(this.#window, this.#inFlight);
    }
    return available(this.#window, this.#inFlight) > 0 ? 0 : this.#window.endsBefore + MARGIN - now;
  }

  #wakeAfter(delay: number): void {
    const { now, sleep } = this.#options;
    const at = now() + delay;
    if (this.#wake !== undefined && Math.abs(this.#wake.at - at) < 1) {
      this.#announce(this.#wake);
      return;
    }
    this.#wake?.cancel.abort();
    this.#wake = undefined;
    if (delay === Infinity) {
      return;
    }
    const wake = { at, cancel: new AbortController(), announced: false };
    this.#wake = wake;
    this.#announce(wake);
    const wakeUp = () => {
      if (this.#wake === wake) {
        this.#wake = undefined;
        this.#pump();
      }
    };
    sleep(Math.ceil(delay), wake.cancel.signal).then(wakeUp, () => {});
  }

  /** Reports a pause as soon as no request is open; this may be later than the pause was planned. */
  #announce(wake: Wake): void {
    const { now, onWait } = this.#options;
    if (this.#inFlight === 0 && !wake.announced) {
      wake.announced = true;
      onWait?.(Math.ceil(wake.at - now()));
    }
  }
}

interface Wake {
  at: number;
  cancel: AbortController;
  announced: boolean;
}

interface Waiting {
  grant: () => void;
  refuse: (error: NetworkError) => void;
}
