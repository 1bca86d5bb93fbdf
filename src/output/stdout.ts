import type { Writable } from "node:stream";
import { ClosedPipeError } from "../errors.ts";
import type { Destination } from "./destination.ts";
import { fileError } from "./fault.ts";

/** Writes to a stream that it neither opens nor closes. Its end is quiet when the reader goes away. */
export function writeToStdout(stream: Writable): Destination {
  let failure: Error | undefined;
  // Stays for good: the event of a failed write may come after everything else, and would end the process.
  stream.on("error", (error: Error) => {
    failure ??= error;
  });

  return {
    write: async (chunk) => {
      const error = await new Promise<Error | null | undefined>((resolve) => stream.write(chunk, resolve));
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
