import type { Chunk } from "../formats/encoder.ts";

/**
 * Receives an output. Calls must not overlap. Each rejects with `FileError`, or with `ClosedPipeError` if the reader of a
 * pipe went away. After a rejection only `abandon` may be called.
 */
export interface Destination<Input = Chunk> {
  /** Resolves when the sink accepts more, so that at most one chunk is in memory. */
  write(input: Input): Promise<void>;
  /**
   * Removes everything that was written.
   *
   * @returns false if some of it is out and cannot be taken back
   */
  restart(): Promise<boolean>;
  /** Resolves when the output is in its place; a file has then been synced to disk. */
  finish(): Promise<void>;
  /** Discards the output. Does nothing after `finish`; may be called more than once. */
  abandon(): Promise<void>;
}
