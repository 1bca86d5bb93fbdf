import { type Compression, compressed } from "../output/destination/compression.ts";
import type { Destination } from "../output/destination/destination.ts";
import type { FileDestination } from "../output/destination/file.ts";
import type { Chunk, RowEncoder } from "../output/formats/encoder.ts";
import type { RowSink } from "../pull/pull.ts";
import type { FinishedSlice } from "../pull/reckoning.ts";

/** A sink that is brought to an end by its owner. */
export interface OpenSink extends RowSink {
  /** Writes what ends the format; the output is complete and in its place. */
  finish(): Promise<void>;
  /** Gives the output up, leaving what a later run may continue from. */
  abandon(): Promise<void>;
}

/** What is written once a slice is. */
export interface SliceEnd {
  rows: number;
  /** Length of the output after it, in bytes. */
  bytes: number;
  /** CRC-32 of its part of the output. */
  crc: number;
  /** What the encoder needs to go on after it; absent in formats that need nothing. */
  state?: string;
}

export interface SinkOptions {
  /** Makes an encoder; `continues` where rows were written before, `restore` what it said of each slice of them. */
  createEncoder: (continues: boolean, restore: readonly string[]) => RowEncoder;
  compression: Compression | undefined;
  /** The file that is written, where it is one from which bytes can be taken back. */
  file?: FileDestination | undefined;
  /** The slices that an earlier run finished. */
  finished?: readonly SliceEnd[] | undefined;
  /** Called when a slice is complete and its bytes are handed to the system. */
  onSliceEnd?: ((slice: FinishedSlice, end: SliceEnd) => Promise<void>) | undefined;
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
      const last = encoder.endSlice?.();
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
        return slices === ends.length && !dirty;
      }
      await endPart("abandon");
      ends.length = slices;
      await options.onRewind?.(slices);
      await file.truncate(ends.at(-1)?.bytes ?? 0);
      encoder = nextEncoder();
      begun = slices > 0;
      dirty = false;
      return true;
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

/** A part of an output: its end is not the end of the whole. */
function keptOpen(destination: Destination): Destination {
  return { write: (chunk) => destination.write(chunk), finish: async () => {}, abandon: async () => {} };
}
