import { setImmediate as turn } from "node:timers/promises";

/** The clocks of a run. Its waits take no time; they only advance its clocks. */
export type VirtualTime = ReturnType<typeof virtualTime>;

export function virtualTime() {
  let skipped = 0;
  let jumped = 0;
  return {
    now: () => Date.now() + skipped + jumped,
    elapsed: () => performance.now() + skipped,
    sleep: async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
      skipped += milliseconds;
      await turn();
      signal?.throwIfAborted();
    },
    /** Sets the clock of the machine, ahead or back, in milliseconds. */
    jump: (milliseconds: number): void => {
      jumped += milliseconds;
    },
    /** Lets time pass. */
    skip: (milliseconds: number): void => {
      skipped += milliseconds;
    },
  };
}
