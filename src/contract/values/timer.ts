import { setMaxListeners } from "node:events";

/** Milliseconds. The longest delay of a timer of Node.js; a longer one would fire at once. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** Calls `ring` after `milliseconds`, which may exceed the limit of Node.js. The returned function stops the timer. */
export function startTimer(milliseconds: number, ring: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number) => {
    const next = () => (left > LONGEST_DELAY ? wait(left - LONGEST_DELAY) : ring());
    timer = setTimeout(next, Math.min(left, LONGEST_DELAY));
  };
  wait(milliseconds);
  return () => clearTimeout(timer);
}

/** Resolves after `milliseconds`; rejects with the signal's reason when it is aborted before. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopTimer = startTimer(milliseconds, () => {
      stopListening();
      resolve();
    });
    const stopListening = onAbort(signal, () => {
      stopTimer();
      reject(signal.reason);
    });
  });
}

/**
 * Calls `listener` when `signal` is aborted, or at once if it already is. The returned function stops listening.
 *
 * The `signal` option of `addEventListener` does the same, but on Node each such listener stays in memory as long as its
 * target.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  // Each open call has a listener; Node would warn from 11 listeners on.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", listener);
  return () => signal.removeEventListener("abort", listener);
}

/**
 * A signal that is aborted together with the first of `parents`, with the same reason, or after `milliseconds` with the
 * reason that `expired` returns.
 *
 * `AbortSignal.any` does the same, but on Node 20 each combined signal stays in memory as long as its parent: a leak for
 * each request.
 */
export function startDeadline(
  parents: readonly (AbortSignal | undefined)[],
  milliseconds?: number,
  expired?: () => Error,
) {
  const controller = new AbortController();
  const stopListening = parents
    .filter((parent) => parent !== undefined)
    .map((parent) => onAbort(parent, () => controller.abort(parent.reason)));
  const stopTimer =
    milliseconds === undefined || controller.signal.aborted
      ? undefined
      : startTimer(milliseconds, () => controller.abort(expired?.()));
  return {
    signal: controller.signal,
    /** Stops the timer and the listeners on the parents. */
    release(): void {
      stopTimer?.();
      for (const stop of stopListening) {
        stop();
      }
    },
  };
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it is aborted. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) {
    return await work;
  }
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
