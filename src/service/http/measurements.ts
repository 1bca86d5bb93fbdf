import { dayOf } from "../../contract/values/day-arithmetic.ts";
import type { Store } from "../store/store.ts";
import type { DayCount, KeyUse, MeasuredPart } from "../store/store-types.ts";

/** The current state of a part is judged by this many requests, not older than this many milliseconds. */
const LATEST_REQUESTS = 10;
const LATEST_TIME = 5 * 60_000;

/**
 * Collects request counts and key uses in memory and writes them to the store later, so that no request waits for a write.
 * While the store is unavailable they stay in memory, which takes a few numbers for each day and key.
 */
export function createMeasurements(store: Pick<Store, "addDayCounts" | "addKeyUses">, now: () => number) {
  const counts = collector(
    (values: DayCount[]) => store.addDayCounts(values),
    (a, b) => ({ ...a, requests: a.requests + b.requests, failures: a.failures + b.failures }),
  );
  const uses = collector(
    (values: KeyUse[]) => store.addKeyUses(values),
    (a, b) => (a.at > b.at ? a : b),
  );
  const latest = new Map<MeasuredPart, { at: number; failed: boolean }[]>();
  let lastFlush: Promise<unknown> = Promise.resolve();
  return {
    /** Returns a hook that counts the responses of a part. */
    countResponses:
      (operation: MeasuredPart) =>
      async (_: unknown, { statusCode }: { statusCode: number }): Promise<void> => {
        const at = now();
        const date = dayOf(at);
        const failed = statusCode >= 500;
        counts.add(`${date} ${operation}`, { date, operation, requests: 1, failures: failed ? 1 : 0 });
        latest.set(operation, [...(latest.get(operation) ?? []), { at, failed }].slice(-LATEST_REQUESTS));
      },
    /** @param id of the key */
    useKey: (id: number): void => uses.add(String(id), { id, at: new Date(now()).toISOString() }),
    /** Request counts that are not in the store yet. */
    pendingCounts: counts.pending,
    /** Which of the latest requests of a part failed: at most ten, from the last five minutes. */
    latestFailures: (operation: MeasuredPart): boolean[] =>
      (latest.get(operation) ?? []).filter(({ at }) => now() - at < LATEST_TIME).map(({ failed }) => failed),
    /** Writes everything to the store; never rejects. One flush runs at a time. */
    flush: async (): Promise<void> => {
      lastFlush = lastFlush.then(() => Promise.all([counts.flush(), uses.flush()]));
      await lastFlush;
    },
  };
}

/** Collects values by key. `merge` joins two values of the same key. */
function collector<T>(write: (values: T[]) => Promise<void>, merge: (a: T, b: T) => T) {
  let collected = new Map<string, T>();
  /** Those that are being written. A load may lock the database for a minute. */
  let taken = new Map<string, T>();
  const add = (key: string, value: T): void => {
    const known = collected.get(key);
    collected.set(key, known === undefined ? value : merge(known, value));
  };
  const pending = () => [...taken.values(), ...collected.values()];
  const flush = async (): Promise<void> => {
    if (collected.size === 0) {
      return;
    }
    [taken, collected] = [collected, new Map()];
    try {
      await write([...taken.values()]);
    } catch {
      // The store is unavailable. The next flush writes these values together with newer ones.
      for (const [key, value] of taken) {
        add(key, value);
      }
    }
    taken = new Map();
  };
  return { add, pending, flush };
}
