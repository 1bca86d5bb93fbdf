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
  const stopListening = parents
    .filter((parent) => parent !== undefined)
    .map((parent) => onAbort(parent, () => controller.abort(parent.reason)));
  const timer =
    milliseconds === undefined || controller.signal.aborted
      ? undefined
      : setTimeout(() => controller.abort(expired()), Math.min(milliseconds, LONGEST_TIMER));
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      for (const stop of stopListening) {
        stop();
      }
    },
  };
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it is aborted. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stopListening = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stopListening = onAbort(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stopListening();
  }
}

/**
 * Calls `listener` once `signal` is aborted, at once where it is already; what it returns stops listening.
 *
 * The `signal` option of `addEventListener` would do the same, but on Node each listener that was added with it stays with
 * its target for the target's life.
 */
function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  // There are as many listeners as there are calls at once, where Node warns from 11 on.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", listener);
  return () => signal.removeEventListener("abort", listener);
}
