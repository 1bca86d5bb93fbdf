import { onAbort, startTimer } from "../timer.ts";

export interface Deadline {
  readonly signal: AbortSignal;
  /** Stops the timer and the listeners on the parents. */
  release(): void;
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
): Deadline {
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
    release() {
      stopTimer?.();
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
