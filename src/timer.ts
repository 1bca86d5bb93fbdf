import { setMaxListeners } from "node:events";

/** Milliseconds. The longest delay that the timers of Node.js take; a longer one would fire at once. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** Calls `ring` after `milliseconds`, which may be more than a timer of Node.js takes; what it returns stops the timer. */
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
 * Calls `listener` once `signal` is aborted, at once if it is already; what it returns stops listening.
 *
 * The `signal` option of `addEventListener` would do the same, but on Node each listener that was added with it stays with
 * its target for the target's life.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  // There are as many listeners as there are calls at once, where Node warns from 11 on.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", listener);
  return () => signal.removeEventListener("abort", listener);
}
