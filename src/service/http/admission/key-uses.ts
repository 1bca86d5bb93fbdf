import type { Store } from "../../store/store.ts";

/** Collects the time of each key's last use and writes it to the store later, so that no request waits for a write. */
export class KeyUses {
  readonly #store: Store;
  readonly #now: () => number;
  #times = new Map<number, number>();

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** @param id of the key */
  add(id: number): void {
    this.#times.set(id, this.#now());
  }

  /** Writes all uses to the store; never rejects. While the store is not available, they stay in memory. */
  async flush(): Promise<void> {
    const times = this.#times;
    if (times.size === 0) {
      return;
    }
    this.#times = new Map();
    try {
      await this.#store.addKeyUses([...times].map(([id, time]) => ({ id, at: new Date(time).toISOString() })));
    } catch {
      this.#times = new Map([...times, ...this.#times]);
    }
  }
}
