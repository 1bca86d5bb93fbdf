import { stat } from "node:fs/promises";
import { errorCode, fileError } from "./system-error.ts";

/**
 * Bytes of a file, or undefined if there is none.
 *
 * @throws FileError if the size cannot be read
 */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === "ENOENT") {
      return undefined;
    }
    throw fileError(path, error);
  }
}
