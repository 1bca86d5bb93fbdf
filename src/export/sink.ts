import { type Compression, compressed } from "../output/destination/compression.ts";
import type { Destination } from "../output/destination/destination.ts";
import type { FileDestination } from "../output/destination/file.ts";
import type { Chunk, RowEncoder } from "../output/formats/encoder.ts";
import type { RowSink } from "../pull/pull.ts";
import type { FinishedSlice } from "../pull/slice-counts.ts";

/** A sink that its owner finishes or abandons. */
export interface OpenSink extends RowSink {
  /** Writes the end of the format; then the output is complete and in its place. */
  finish(): Promise<void>;
  /** Stops writing the output, and keeps the parts from which a later run can continue. */
  abandon(): Promise<void>;
}

/** The state of the output after a slice. */
export interface SliceEnd {
  rows: number;
  /** Length of the output after it, in bytes. */
  bytes: number;
  /** CRC-32 of its part of the output. */
  crc: number;
  /** State that the encoder needs to continue after it; absent if it needs none. */
  state?: string;
}

export interface SinkOptions {
  /** Creates an encoder. `continues`: rows were written before. `restore`: the encoder state of each earlier slice. */
  createEncoder: (continues: boolean, restore: readonly string[]) => RowEncoder;
  compression: Compression | undefined;
  /** The file that is written, if bytes can be removed from its end. */
  file?: FileDestination | undefined;
  /** Whether the format can only be written from its start: removing slices then removes all of them. */
  startsOver?: boolean | undefined;
  /** The slices that an earlier run finished. */
  finished?: readonly SliceEnd[] | undefined;
  /** Called when a slice is complete and the operating system has its bytes. */
  onSliceEnd?: ((slice: FinishedSlice, end: SliceEnd) => Promise<void>) | undefined;
  /** Called when slices are removed. */
  onRewind?: ((slices: number) => Promise<void>) | undefined;
}

/**
 * Writes rows to a destination in one format, slice by slice. Each slice is compressed on its own (a gzip member, a
 * zstd frame), so that the bytes do not depend on where an earlier run was interrupted.
 */
export function createSink(destination: Destination, options: SinkOptions): OpenSink {
  const { createEncoder, compression, file } = options;
  const ends = [...(options.finished ?? [])];
  const hasRows = () => ends.some(({ rows }) => rows > 0);
  const nextEncoder = () =>
    createEncoder(
      hasRows(),
      ends.flatMap(({ state }) => state ?? []),
    );
  let encoder = nextEncoder();
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
  const endPart = async (how: "finish" | "abandon"): Promise<void> => {
    if (compression !== undefined) {
      await part?.[how]();
    }
    part = undefined;
  };

  return {
    write: async (rows) => {
      await begin();
      await put(await encoder.encode(rows));
    },
    endSlice: async (slice) => {
      await begin();
      const last = await encoder.endSlice?.();
      await put(last?.chunk ?? "");
      await endPart("finish");
      dirty = false;
      const end: SliceEnd = {
        rows: slice.rows,
        bytes: file?.position() ?? 0,
        crc: file?.checksum() ?? 0,
        ...(last && { state: last.state }),
      };
      ends.push(end);
      await options.onSliceEnd?.(slice, end);
    },
    rewind: async (slices) => {
      if (file === undefined) {
        return slices === ends.length && !dirty ? slices : undefined;
      }
      await endPart("abandon");
      const left = options.startsOver ? 0 : slices;
      ends.length = left;
      await options.onRewind?.(left);
      await file.truncate(ends.at(-1)?.bytes ?? 0);
      encoder = nextEncoder();
      begun = left > 0;
      dirty = false;
      return left;
    },
    finish: async () => {
      await begin();
      await put(await encoder.end());
      await endPart("finish");
      await destination.finish();
    },
    abandon: async () => {
      await endPart("abandon");
      await destination.abandon();
    },
  };
}

/** A part of an output: ending it does not end the whole output. */
function keptOpen(destination: Destination): Destination {
  return { write: (chunk) => destination.write(chunk), finish: async () => {}, abandon: async () => {} };
}
