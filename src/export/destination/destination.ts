import type { Lock } from "../../files/lock.ts";
import type { Chunk } from "../formats/encoder.ts";

/** A regular file that only this process writes. */
export interface LockedFile {
  path: string;
  lock: Lock;
}

/**
 * Receives an output. Calls must not overlap. Each rejects with `FileError`, or with `ClosedPipeError` if the reader of a
 * pipe went away. Disposing of it discards an output that was not finished.
 */
export interface Destination<Input = Chunk> extends AsyncDisposable {
  /** Resolves when the destination accepts more, so that at most one chunk is in memory. */
  write(input: Input): Promise<void>;
  /** Resolves when the output is in its place; a file has then been synced to disk. */
  finish(): Promise<void>;
  /** Undefined for a stream, a device or a pipe. The lock is released when the destination is disposed of. */
  file?: LockedFile;
}
