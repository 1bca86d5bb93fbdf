import { dayOf } from "../../../contract/values/day-arithmetic.ts";
import type { DayCount, MeasuredPart, Store } from "../../store/store.ts";

/**
 * Counts requests and 5xx responses for each part of the service and UTC day. `flush` writes the counts to the store.
 * While the store is not available, they stay in memory: a few numbers a day.
 */
export class DayCounter {
  readonly #store: Store;
  readonly #now: () => number;
  #counts = new Map<string, DayCount>();
  #lastFlush: Promise<void> = Promise.resolve();

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** @param failed Whether the request was answered with a 5xx. */
  count(operation: MeasuredPart, failed: boolean): void {
    this.#add({ date: dayOf(this.#now()), operation, requests: 1, failures: failed ? 1 : 0 });
  }

  /** Counts that are not in the store yet. */
  pending(): DayCount[] {
    return [...this.#counts.values()];
  }

  /** Writes all counts to the store; never rejects. One flush runs at a time. */
  flush(): Promise<void> {
    this.#lastFlush = this.#lastFlush.then(() => this.#write());
    return this.#lastFlush;
  }

  async #write(): Promise<void> {
    const counts = this.pending();
    if (counts.length === 0) {
      return;
    }
    this.#counts = new Map();
    try {
      await this.#store.addDayCounts(counts);
    } catch {
      // The store is not available. The next flush writes these counts and the newer ones.
      for (const count of counts) {
        this.#add(count);
      }
    }
  }

  #add({ date, operation, requests, failures }: DayCount): void {
    const key = `${date} ${operation}`;
    const known = this.#counts.get(key);
    this.#counts.set(key, {
      date,
      operation,
      requests: requests + (known?.requests ?? 0),
      failures: failures + (known?.failures ?? 0),
    });
  }
}
