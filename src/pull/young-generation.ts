import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Size in bytes at which the young generation stops growing. */
const ENOUGH = 4 * 1024 ** 2;

/**
 * Stops V8's young generation from growing, once it is large enough. In a long run it would grow to 32 MB, and dead buffers
 * would wait longer to be freed; a pull gains no time by that.
 */
export function limitYoungGeneration(): void {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  if (young !== undefined && young.space_size >= ENOUGH) {
    setFlagsFromString("--semi-space-growth-factor=1");
  }
}
