import { setFlagsFromString } from "node:v8";

/**
 * Keeps the heap of a long stream as small as that of a short one, for a quarter more of time on the processor. V8
 * lets the space for new objects and the distance between collections grow with what passes through, pages of rows
 * here, as long as the machine has memory; both are asked for at each step, so that they can still be set.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=10");
}
