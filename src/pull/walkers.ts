/** The plan of a pull is made for this number of walkers, so that its output does not depend on `--concurrency`. */
export const DEFAULT_CONCURRENCY = 8;

/**
 * Lets walkers take items from a queue, in order. After a failure no walker takes another item, and the items that are left
 * fail with it.
 *
 * @param count number of concurrent walkers
 * @returns a promise for the end of each item, and one that resolves when every walker has stopped, whatever happened
 */
export function startWalkers<Item>(
  items: readonly Item[],
  count: number,
  work: (item: Item, index: number) => Promise<void>,
): { ends: readonly Promise<void>[]; stopped: Promise<unknown> } {
  const ends = items.map(() => deferred());
  const queue = ends.entries();
  let hasFailed = false;
  const fail = (error: unknown) => {
    hasFailed = true;
    for (const { reject } of ends) {
      // No effect on settled promises.
      reject(error);
    }
  };
  const walk = async (): Promise<void> => {
    for (const [index, { resolve }] of queue) {
      if (hasFailed) {
        return;
      }
      await work(items[index] as Item, index).then(resolve, fail);
    }
  };
  const stopped = Promise.all(Array.from({ length: Math.min(count, items.length) }, walk));
  return { ends: ends.map(({ promise }) => promise), stopped };
}

export interface Deferred {
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export function deferred(): Deferred {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((...settle) => {
    [resolve, reject] = settle;
  });
  // Prevents an unhandled rejection; awaiters still get the error.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
