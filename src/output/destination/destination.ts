import type { Chunk } from "../formats/encoder.ts";

/**
 * Where an output goes. One call at a time; each rejects with `FileError`, or with `ClosedPipeError` when a pipe's
 * reader went away. After a rejection only `abandon` may follow.
 */
export interface Destination {
  /** Resolves when the sink can take more, so that at most one chunk is held in memory. */
  write(chunk: Chunk): Promise<void>;
  /** Resolves when everything written is where it belongs, and survives a loss of power where that is a file. */
  finish(): Promise<void>;
  /** Gives the output up. Does nothing after `finish`, and may be called again. */
  abandon(): Promise<void>;
}
