import { StoreTimeoutError } from "../store/store.ts";

/** The longest delay of a timer (about 25 days). With a longer delay, it would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Runs `work` for at most `milliseconds`. Then the signal is aborted and the promise rejects, even if `work` ignores
 * the signal.
 *
 * @throws StoreTimeoutError when the time is over.
 */
export async function withinDeadline<T>(milliseconds: number, work: (deadline: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        const error = new StoreTimeoutError(`no answer within ${milliseconds} ms`);
        controller.abort(error);
        reject(error);
      },
      Math.min(milliseconds, LONGEST_TIMER),
    );
  });
  try {
    return await Promise.race([work(controller.signal), expired]);
  } finally {
    clearTimeout(timer);
  }
}
