import { FileError } from "../errors.ts";
import { type Compression, compressed } from "../output/compression.ts";
import type { Destination } from "../output/destination.ts";
import type { Chunk, RowEncoder } from "../output/encoder.ts";
import type { FileDestination } from "../output/file.ts";
import type { RowSink } from "./pull.ts";

/** A sink that is brought to an end by its owner. */
export interface OpenSink extends RowSink {
  /** Writes what ends the format; the output is complete and in its place. */
  finish(): Promise<void>;
  /** Gives the output up, leaving what a later run may continue from. */
  abandon(): Promise<void>;
}

export interface SinkOptions {
  /** Makes an encoder; `continues` where rows were written before. */
  createEncoder: (continues: boolean) => RowEncoder;
  compression: Compression | undefined;
  /** The file that is written, where it is one from which bytes can be taken back. */
  file?: FileDestination | undefined;
  /** Byte length of the output after each slice that an earlier run finished. */
  finished?: readonly number[] | undefined;
  /** Called when a slice is complete and its bytes are handed to the system. */
  onSliceEnd?: ((end: { rows: number; bytes: number }) => Promise<void>) | undefined;
  /** Called when slices are taken back. */
  onRewind?: ((slices: number) => Promise<void>) | undefined;
}

/**
 * Writes rows to a destination in one format, slice by slice. Each slice is compressed on its own (a gzip member, a
 * zstd frame), so that the bytes do not depend on where an earlier run was interrupted.
 */
export function createSink(destination: Destination, options: SinkOptions): OpenSink {
  const { createEncoder, compression, file } = options;
  const ends = [...(options.finished ?? [])];
  let encoder = createEncoder(ends.length > 0);
  let begun = ends.length > 0;
  let part: Destination | undefined;
  let dirty = false;

  const put = async (chunk: Chunk): Promise<void> => {
    if (chunk.length === 0) {
      return;
    }
    dirty = true;
    part ??= compression === undefined ? destination : compressed(keptOpen(destination), compression);
    await part.write(chunk);
  };
  const begin = async (): Promise<void> => {
    if (!begun) {
      begun = true;
      await put(await encoder.begin());
    }
  };
  const endPart = async (): Promise<void> => {
    if (compression !== undefined) {
      await part?.finish();
    }
    part = undefined;
  };

  return {
    write: async (rows) => {
      await begin();
      await put(await encoder.encode(rows));
    },
    endSlice: async (rows) => {
      await endPart();
      dirty = false;
      ends.push(file?.position() ?? 0);
      await options.onSliceEnd?.({ rows, bytes: ends.at(-1) ?? 0 });
    },
    rewind: async (slices) => {
      if (file === undefined) {
        return slices === ends.length && !dirty;
      }
      await part?.abandon();
      part = undefined;
      ends.length = slices;
      await options.onRewind?.(slices);
      await file.truncate(ends.at(-1) ?? 0);
      encoder = createEncoder(slices > 0);
      begun = slices > 0;
      dirty = false;
      return true;
    },
    finish: async () => {
      await begin();
      await put(await encoder.end());
      await endPart();
      await destination.finish();
    },
    abandon: async () => {
      if (compression !== undefined) {
        await part?.abandon();
      }
      await destination.abandon();
    },
  };
}

/** A part of an output: its end is not the end of the whole. */
function keptOpen(destination: Destination): Destination {
  return { write: (chunk) => destination.write(chunk), finish: async () => {}, abandon: async () => {} };
}

/** Refuses a state that cannot come from a run of this tool. */
export function assertLength(path: string, actual: number, expected: number): void {
  if (actual < expected) {
    throw new FileError(
      `${path} is shorter (${actual} bytes) than its journal says (${expected}); delete both files to start anew`,
      path,
    );
  }
}
