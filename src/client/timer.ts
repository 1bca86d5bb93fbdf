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
