import { stat } from "node:fs/promises";
import { ifPresent } from "./system-error.ts";

/**
 * Bytes of a file, or undefined if there is none.
 *
 * @throws FileError if the size cannot be read
 */
export async function sizeOf(path: string): Promise<number | undefined> {
  return (await ifPresent(path, () => stat(path)))?.size;
}
