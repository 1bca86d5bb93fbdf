import type { Windows } from "../store.ts";

const OVERFLOW = "\0overflow";

/**
 * Windows of `length` milliseconds in memory. At most `capacity` keys have their own count. Above that, new keys share one
 * count until older windows end.
 */
export function memoryWindows(length: number, capacity = 100_000): Windows {
  // In the order in which the windows started, so also in the order in which they end.
  const windows = new Map<string, { startedAt: number; used: number }>();

  /** Also drops windows that start in the future, because the clock was set back. */
  function dropEnded(time: number): void {
    for (const [key, { startedAt }] of windows) {
      if (time >= startedAt && time < startedAt + length) {
        return;
      }
      windows.delete(key);
    }
  }

  return {
    charge: async (key, time) => {
      dropEnded(time);
      const held = windows.has(key) || windows.size < capacity ? key : OVERFLOW;
      const { startedAt, used } = windows.get(held) ?? { startedAt: time, used: 0 };
      const window = { startedAt, used: used + 1 };
      windows.set(held, window);
      return window;
    },
    read: async (key, time) => {
      dropEnded(time);
      return windows.get(key);
    },
  };
}
