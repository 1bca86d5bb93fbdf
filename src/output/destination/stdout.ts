import type { Writable } from "node:stream";
import { ClosedPipeError } from "../../errors.ts";
import { fileError } from "../../files/system-error.ts";
import type { Destination } from "./destination.ts";

/**
 * Writes to a stream that it neither opens nor closes. `beforeData` is called before the first byte. A write that waits
 * for a reader rejects with the reason of `signal` when that is aborted.
 */
export function writeToStdout(
  stream: Writable,
  { signal, beforeData }: { signal?: AbortSignal | undefined; beforeData?: (() => void) | undefined } = {},
): Destination {
  let failure: Error | undefined;
  let isBegun = false;
  // Stays for good: the event of a failed write may come after everything else, and would end the process.
  stream.on("error", (error: Error) => {
    failure ??= error;
  });

  return {
    write: async (chunk) => {
      if (chunk.length === 0) {
        return;
      }
      signal?.throwIfAborted();
      if (!isBegun) {
        isBegun = true;
        beforeData?.();
      }
      let giveUp = () => {};
      const error = await new Promise<Error | null | undefined>((resolve, reject) => {
        giveUp = () => reject(signal?.reason);
        signal?.addEventListener("abort", giveUp);
        stream.write(chunk, resolve);
      }).finally(() => signal?.removeEventListener("abort", giveUp));
      if (error != null) {
        throw stdoutError(failure ?? error);
      }
    },
    finish: async () => {
      if (failure !== undefined) {
        throw stdoutError(failure);
      }
    },
    abandon: async () => {},
  };
}

function stdoutError(error: NodeJS.ErrnoException): Error {
  // A pipe that is a socket underneath reports ECONNRESET when its reader left data unread.
  if (error.code === "EPIPE" || error.code === "ECONNRESET") {
    return new ClosedPipeError("the reader of stdout went away");
  }
  return fileError("stdout", error);
}
