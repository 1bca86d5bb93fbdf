import { constants, createReadStream, openSync } from "node:fs";
import { stat } from "node:fs/promises";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";
import { NotFoundError } from "../contract/errors.ts";
import { descriptorOf } from "./descriptor.ts";
import { errorCode, fileError, withFileError } from "./system-error.ts";

/** The bytes of a stream. When `signal` is aborted, the wait for them ends at once. @throws the reason of `signal` */
export async function* readStream(stream: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* addAbortSignal(signal, stream);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/**
 * The bytes of a named pipe, also of one from `<(…)`. Opening and reading it as a file would wait in a thread that no
 * signal ends.
 *
 * @throws the reason of `signal`
 */
export async function* readPipe(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  yield* readStream(new Socket({ fd, writable: false }), signal);
}

/** How much is read. */
export interface ReadLimit {
  maxBytes: number;
  /** The error for more; the rest is not read. */
  tooLongError: () => Error;
}

/** A file as text. @throws as `readFileChunks`, and the error for a longer text */
export async function readFileText(path: string, signal: AbortSignal, limit: ReadLimit): Promise<string> {
  return await readText(readFileChunks(path, signal), limit);
}

/**
 * The bytes of a file, which may be a named pipe, or a socket by a name like `/dev/stdin`.
 *
 * @throws FileError if it cannot be read
 * @throws the reason of `signal`
 */
export async function* readFileChunks(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const entry = await withFileError(path, () => stat(path));
  const fd = descriptorOf(path);
  try {
    if (entry.isSocket() && fd !== undefined) {
      // A socket is open already and cannot be opened again.
      yield* readStream(new Socket({ fd, writable: false }), signal);
    } else {
      yield* entry.isFIFO() ? readPipe(path, signal) : createReadStream(path, { signal });
    }
  } catch (error) {
    signal.throwIfAborted();
    throw errorCode(error) === undefined ? error : fileError(path, error);
  }
}

/** The bytes of a file that the user names. Unlike `readFileChunks`, it throws NotFoundError if there is none. */
export async function* readNamedFile(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* readFileChunks(path, signal);
  } catch (error) {
    throw errorCode(error) === "ENOENT" ? new NotFoundError((error as Error).message) : error;
  }
}

/** The same bytes. @throws the error for more than the limit */
export async function* limited(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, tooLongError }: ReadLimit,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) {
      throw tooLongError();
    }
    yield chunk;
  }
}

/** Bytes as text, read as UTF-8. @throws the error for more than the limit */
export async function readText(chunks: AsyncIterable<Uint8Array>, limit: ReadLimit): Promise<string> {
  const read: Uint8Array[] = [];
  for await (const chunk of limited(chunks, limit)) {
    read.push(chunk);
  }
  // Unlike `toString`, this drops a byte order mark.
  return new TextDecoder().decode(Buffer.concat(read));
}
