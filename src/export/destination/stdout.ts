import type { Writable } from "node:stream";
import { ClosedPipeError } from "../../contract/errors.ts";
import { untilAborted } from "../../contract/values/timer.ts";
import { descriptorOf } from "../../files/descriptor.ts";
import { fileError } from "../../files/system-error.ts";
import type { Destination } from "./destination.ts";

interface StreamOptions {
  signal?: AbortSignal | undefined;
  beforeData?: (() => void) | undefined;
}

export function writeToStdout(stream: Writable, options?: StreamOptions): Destination {
  return writeToStream(stream, "stdout", options);
}

/**
 * Writes to a stream without opening or closing it. `beforeData` is called before the first byte. When `signal` is
 * aborted, a write that waits for a reader rejects with its reason.
 *
 * @param name of the stream, for messages
 */
export function writeToStream(stream: Writable, name: string, { signal, beforeData }: StreamOptions = {}): Destination {
  let failure: Error | undefined;
  let isBegun = false;
  // The listener stays: the stream may emit the error after the write was rejected, and an error without a listener ends the
  // process.
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
      const written = new Promise<Error | null | undefined>((resolve) => void stream.write(chunk, resolve));
      const error = await untilAborted(written, signal);
      if (error != null) {
        throw streamError(name, failure ?? error);
      }
    },
    finish: async () => {
      if (failure !== undefined) {
        throw streamError(name, failure);
      }
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

function streamError(name: string, error: NodeJS.ErrnoException): Error {
  // A pipe that is a socket underneath reports ECONNRESET when its reader left data unread.
  if (error.code === "EPIPE" || error.code === "ECONNRESET") {
    return new ClosedPipeError(`the reader of ${name} went away`);
  }
  return fileError(name, error);
}

/**
 * Whether an output is stdout. So is `/dev/stdout`, by any of its names: it cannot be opened if stdout is a socket, and would
 * be replaced by a new file after `>> file`.
 */
export function isStdout(output: string | undefined): output is "-" | "/dev/stdout" | undefined {
  return output === undefined || output === "-" || descriptorOf(output) === 1;
}
