import { startDeadline, untilAborted } from "../../contract/values/timer.ts";
import { StoreTimeoutError } from "./store-types.ts";

/**
 * Runs `work` for at most `milliseconds`, then aborts the signal and rejects.
 *
 * @param parent ends it earlier, with its own reason
 * @throws StoreTimeoutError
 */
export async function withinDeadline<T>(
  milliseconds: number,
  work: (deadline: AbortSignal) => Promise<T>,
  parent?: AbortSignal,
): Promise<T> {
  const expired = () => new StoreTimeoutError(`no result within ${milliseconds} ms`);
  const { signal, release } = startDeadline([parent], milliseconds, expired);
  try {
    return await untilAborted(work(signal), signal);
  } finally {
    release();
  }
}
