import { type FileHandle, open, rm } from "node:fs/promises";
import { fileError } from "../../files/system-error.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { scanLines } from "../../rows/scan.ts";

/**
 * Sorts rows that come in any order into partitions, through one file on disk. Memory: `BUFFER_BYTES` of rows and
 * a place of 16 bytes for each run of rows of one partition that was written; one file is open, however many partitions
 * there are. Rows of a partition stay in the order in which they came.
 */
export interface PartitionSpool {
  /** @param partitionOf names the partition of a row */
  add(rows: RowBatch, partitionOf: (rows: RowBatch, row: number) => string): Promise<void>;
  /** Writes what is buffered; resolves to the length of the file. */
  flush(): Promise<number>;
  /** Takes back everything after the first `length` bytes, as `flush` once gave them. */
  truncate(length: number): Promise<void>;
  /** Every partition that has rows, by code units. */
  partitions(): string[];
  /** The rows of one partition, in parts; everything must have been flushed. */
  read(partition: string): AsyncGenerator<RowBatch, void, void>;
  /** Removes the file. */
  close(): Promise<void>;
}

interface Place {
  offset: number;
  length: number;
}

const BUFFER_BYTES = 16 * 1024 * 1024;

/** Opens a spool in a new file at `path`. */
export async function openPartitionSpool(path: string): Promise<PartitionSpool> {
  const handle = await reporting(path, () => open(path, "w+"));
  const places = new Map<string, Place[]>();
  let buffered = new Map<string, Buffer[]>();
  let bufferedBytes = 0;
  let length = 0;

  async function flush(): Promise<number> {
    const parts: Buffer[] = [];
    let end = length;
    const added: [string, Place][] = [];
    for (const [partition, rows] of buffered) {
      const bytes = rows.reduce((sum, row) => sum + row.length, 0);
      parts.push(...rows);
      added.push([partition, { offset: end, length: bytes }]);
      end += bytes;
    }
    await reporting(path, () => writeAt(handle, Buffer.concat(parts), length));
    for (const [partition, place] of added) {
      const known = places.get(partition);
      known === undefined ? places.set(partition, [place]) : known.push(place);
    }
    buffered = new Map();
    bufferedBytes = 0;
    length = end;
    return length;
  }

  return {
    add: async (rows, partitionOf) => {
      for (const [partition, part] of runsOf(rows, partitionOf)) {
        const parts = buffered.get(partition);
        parts === undefined ? buffered.set(partition, [part]) : parts.push(part);
      }
      bufferedBytes += rows.lines().length;
      if (bufferedBytes >= BUFFER_BYTES) {
        await flush();
      }
    },
    flush,
    truncate: async (shorter) => {
      buffered = new Map();
      bufferedBytes = 0;
      length = shorter;
      for (const [partition, all] of places) {
        const kept = all.filter(({ offset }) => offset < shorter);
        kept.length === 0 ? places.delete(partition) : places.set(partition, kept);
      }
      await reporting(path, () => handle.truncate(shorter));
    },
    partitions: () => [...places.keys()].sort(),
    read: async function* (partition) {
      for (const place of places.get(partition) ?? []) {
        const part = Buffer.alloc(place.length);
        const { bytesRead } = await reporting(path, () => handle.read(part, 0, place.length, place.offset));
        if (bytesRead !== place.length) {
          throw fileError(path, new Error(`it holds fewer than the ${length} bytes that were written`));
        }
        yield scanLines(part);
      }
    },
    close: async () => {
      await handle.close();
      await rm(path, { force: true });
    },
  };
}

/** The lines of each run of rows that are of one partition; not copies. */
function* runsOf(
  rows: RowBatch,
  partitionOf: (rows: RowBatch, row: number) => string,
): Generator<[partition: string, lines: Buffer], void, void> {
  for (let start = 0; start < rows.length; ) {
    const partition = partitionOf(rows, start);
    let end = start + 1;
    while (end < rows.length && partitionOf(rows, end) === partition) {
      end += 1;
    }
    yield [partition, rows.slice(start, end).lines()];
    start = end;
  }
}

async function writeAt(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
  }
}

async function reporting<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw fileError(path, error);
  }
}
