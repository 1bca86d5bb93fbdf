import { setMaxListeners } from "node:events";

/** The longest delay that Node's timers take. */
const LONGEST_TIMER = 2 ** 31 - 1;

export interface Deadline {
  readonly signal: AbortSignal;
  /** Stops the timer and lets go of the parents. */
  release(): void;
}

/**
 * A signal that is aborted as soon as one of `parents` is, with that one's reason, or after
 * `milliseconds`, with the reason that `expired` makes.
 *
 * `AbortSignal.any` would do the same, but on Node 20 each combined signal stays with its parent for
 * the parent's life: a leak per request.
 */
export function startDeadline(
  parents: readonly (AbortSignal | undefined)[],
  milliseconds: number | undefined,
  expired: () => Error,
): Deadline {
  const controller = new AbortController();
  const released = new AbortController();
  for (const parent of parents.filter((signal) => signal !== undefined)) {
    if (parent.aborted) {
      controller.abort(parent.reason);
    }
    // A parent has as many listeners as there are calls at once, where Node warns from 11 on; `release` takes each off.
    setMaxListeners(0, parent);
    parent.addEventListener("abort", () => controller.abort(parent.reason), { signal: released.signal });
  }
  const timer =
    milliseconds === undefined || controller.signal.aborted
      ? undefined
      : setTimeout(() => controller.abort(expired()), Math.min(milliseconds, LONGEST_TIMER));
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      released.abort();
    },
  };
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it is aborted. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const done = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
    }
    signal.addEventListener("abort", () => reject(signal.reason), { signal: done.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    done.abort();
  }
}
