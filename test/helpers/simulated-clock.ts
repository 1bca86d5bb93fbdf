import { setImmediate as turn } from "node:timers/promises";

interface Timer {
  at: number;
  ring: () => void;
}

/** A clock that advances only when nothing else can happen. Minutes pass at once, and each run is the same. */
export class SimulatedClock {
  #now = 0;
  readonly #timers = new Set<Timer>();
  readonly #settle: () => Promise<unknown>;

  /** @param settle resolves when nothing more can happen at this time; work of other threads may need several turns */
  constructor(settle: () => Promise<unknown> = () => turn()) {
    this.#settle = settle;
  }

  readonly now = (): number => this.#now;

  readonly sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = { at: this.#now + milliseconds, ring: resolve };
      this.#timers.add(timer);
      signal?.addEventListener("abort", () => {
        this.#timers.delete(timer);
        reject(signal.reason);
      });
    });

  /** Advances the time until `work` is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const finished = work.finally(() => {
      done = true;
    });
    finished.catch(() => {});
    for (;;) {
      await this.#settle();
      if (done) {
        return finished;
      }
      this.#advance();
    }
  }

  #advance(): void {
    const at = Math.min(...[...this.#timers].map((timer) => timer.at));
    if (at === Infinity) {
      throw new Error("everything waits and no timer is left");
    }
    this.#now = at;
    for (const timer of this.#timers) {
      if (timer.at === at) {
        this.#timers.delete(timer);
        timer.ring();
      }
    }
  }
}
