import { constants, createReadStream, openSync } from "node:fs";
import { stat } from "node:fs/promises";
import { Socket } from "node:net";
import type { Context } from "../context.ts";
import { errorCode, fileError, withFileError } from "../files/system-error.ts";

/** The bytes of standard input. When `signal` is aborted, the wait for them ends at once. @throws the reason of `signal` */
export async function* readStdin({ stdin }: Pick<Context, "stdin">, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const stop = () => void stdin.destroy(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    yield* stdin;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * The bytes of a pipe that has a name, also one of `<(…)`. Opening and reading it as a file would wait in a thread that no
 * signal ends.
 *
 * @throws the reason of `signal`
 */
export async function* readPipe(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const stdin = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false });
  yield* readStdin({ stdin }, signal);
}

/**
 * Standard input as text.
 *
 * @param most bytes
 * @param tooLong the error for longer input; the rest is not read
 * @throws the reason of `signal`
 */
export async function readStdinText(
  context: Pick<Context, "stdin">,
  signal: AbortSignal,
  most: number,
  tooLong: () => Error,
): Promise<string> {
  return await readText(readStdin(context, signal), most, tooLong);
}

/**
 * A file as text, or standard input if `path` is `-`. It may be a pipe that has a name.
 *
 * @param most bytes
 * @param tooLong the error for a longer one; the rest is not read
 * @throws FileError if it cannot be read
 * @throws the reason of `signal`
 */
export async function readFileText(
  path: string,
  context: Pick<Context, "stdin">,
  signal: AbortSignal,
  most: number,
  tooLong: () => Error,
): Promise<string> {
  if (path === "-") {
    return await readStdinText(context, signal, most, tooLong);
  }
  const isPipe = await withFileError(path, async () => (await stat(path)).isFIFO());
  try {
    const chunks = isPipe ? readPipe(path, signal) : createReadStream(path, { signal });
    return await readText(chunks, most, tooLong);
  } catch (error) {
    signal.throwIfAborted();
    throw errorCode(error) === undefined ? error : fileError(path, error);
  }
}

async function readText(chunks: AsyncIterable<Uint8Array>, most: number, tooLong: () => Error): Promise<string> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    read.push(chunk);
    length += chunk.length;
    if (length > most) {
      throw tooLong();
    }
  }
  // Unlike `toString`, this drops a byte order mark.
  return new TextDecoder().decode(Buffer.concat(read));
}
