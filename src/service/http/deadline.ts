import { StoreTimeoutError } from "../store/store.ts";

/** The longest time a timer can take (about 25 days); a longer one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Runs `work` and gives it up after `milliseconds`: the signal tells whoever works that nobody waits any more, and the
 * caller is answered even by a store that does not listen.
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
