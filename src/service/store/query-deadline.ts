import { StoreTimeoutError } from "./store.ts";

/** The longest delay of a timer (about 25 days). With a longer delay, it would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Runs `work` for at most `milliseconds`, then aborts the signal and rejects. @throws StoreTimeoutError */
export async function withinDeadline<T>(milliseconds: number, work: (deadline: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new StoreTimeoutError(`no result within ${milliseconds} ms`)),
    Math.min(milliseconds, LONGEST_TIMER),
  );
  try {
    return await orTimeout(work(controller.signal), controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs `work` with a deadline that passes when the signal is aborted, unless `work` has called `keep` before: what is kept can no
 * longer be undone.
 */
export async function untilKept<T>(
  signal: AbortSignal,
  work: (deadline: AbortSignal, keep: () => void) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const pass = () => controller.abort(signal.reason);
  const keep = () => signal.removeEventListener("abort", pass);
  signal.addEventListener("abort", pass, { once: true });
  try {
    return await work(controller.signal, keep);
  } finally {
    keep();
  }
}

/** Settles like `work`, or rejects with the reason of the deadline when it passes before. */
export async function orTimeout<T>(work: Promise<T>, deadline: AbortSignal | undefined): Promise<T> {
  if (deadline === undefined) {
    return await work;
  }
  let stopListening = () => {};
  const passed = new Promise<never>((_, reject) => {
    const giveUp = () => reject(deadline.reason);
    deadline.addEventListener("abort", giveUp, { once: true });
    stopListening = () => deadline.removeEventListener("abort", giveUp);
  });
  return await Promise.race([work, passed]).finally(stopListening);
}
