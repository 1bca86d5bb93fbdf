import { open, rm } from "node:fs/promises";
import { readAt } from "../../files/read-at.ts";
import { type Extent, writeAt } from "../../files/stored-bytes.ts";
import { fileError, withFileError } from "../../files/system-error.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { batchOfLines } from "../../rows/scan.ts";

/**
 * Sorts rows into partitions through a single file on disk. Memory: `BUFFER_BYTES` of rows, two parts of `PART_BYTES`, and
 * 16 bytes for each written run of rows of one partition. Only one file is open, however many partitions there are. The
 * rows of a partition keep their order.
 */
export type PartitionSpool = Awaited<ReturnType<typeof openPartitionSpool>>;

/** Numbers stored for each run of rows of one partition: its batch, its start and its end. */
const RUN_ENTRIES = 3;

const BUFFER_BYTES = 16 * 1024 * 1024;

/** Bytes that are written or read at once. A longer row is read as a whole. */
const PART_BYTES = 1024 * 1024;

const LINE_FEED = 10;

/** @param partitionOf returns the partition of a row */
export async function openPartitionSpool(path: string, partitionOf: (rows: RowBatch, row: number) => string) {
  const handle = await withFileError(path, () => open(path, "w+"));
  const places = new Map<string, Extent[]>();
  const part = Buffer.allocUnsafe(PART_BYTES);
  let batches: Buffer[] = [];
  let buffered = new Map<string, number[]>();
  let bufferedBytes = 0;
  let length = 0;

  /** Writes what is buffered. */
  async function flush(): Promise<void> {
    let end = length;
    let held = 0;
    const writeHeld = async () => {
      await withFileError(path, () => writeAt(handle, part.subarray(0, held), end));
      end += held;
      held = 0;
    };
    const added: [string, Extent][] = [];
    for (const [partition, runs] of buffered) {
      const start = end + held;
      for (let run = 0; run < runs.length; run += RUN_ENTRIES) {
        const batch = batches[runs[run] as number] as Buffer;
        const last = runs[run + 2] as number;
        for (let at = runs[run + 1] as number; at < last; ) {
          const copied = batch.copy(part, held, at, last);
          at += copied;
          held += copied;
          if (held === part.length) {
            await writeHeld();
          }
        }
      }
      added.push([partition, { at: start, length: end + held - start }]);
    }
    await writeHeld();
    for (const [partition, place] of added) {
      const known = places.get(partition);
      known === undefined ? places.set(partition, [place]) : known.push(place);
    }
    forget();
    length = end;
  }

  /** Whole rows from the beginning of a place, `PART_BYTES` or less. */
  async function readRows(place: Extent, size = PART_BYTES): Promise<Buffer> {
    const rows = Buffer.allocUnsafe(Math.min(size, place.length));
    await withFileError(path, () => readAt(handle, rows, place.at));
    const end = rows.lastIndexOf(LINE_FEED) + 1;
    if (end === 0 && rows.length === place.length) {
      throw fileError(path, new Error(`its bytes from ${place.at} on are damaged: no row ends there`));
    }
    return end === 0 ? readRows(place, 2 * size) : rows.subarray(0, end);
  }

  function forget(): void {
    batches = [];
    buffered = new Map();
    bufferedBytes = 0;
  }

  return {
    write: async (rows: RowBatch): Promise<void> => {
      const batch = batches.push(rows.bytes) - 1;
      for (let row = 0; row < rows.length; row += 1) {
        const partition = partitionOf(rows, row);
        const end = rows.end(row) + 1;
        const runs = buffered.get(partition);
        if (runs === undefined) {
          buffered.set(partition, [batch, rows.start(row), end]);
        } else if (runs.at(-1) === rows.start(row) && runs.at(-RUN_ENTRIES) === batch) {
          runs[runs.length - 1] = end;
        } else {
          runs.push(batch, rows.start(row), end);
        }
        bufferedBytes += end - rows.start(row);
      }
      if (bufferedBytes >= BUFFER_BYTES) {
        await flush();
      }
    },
    /** Removes all rows. */
    restart: async (): Promise<true> => {
      forget();
      length = 0;
      places.clear();
      await withFileError(path, () => handle.truncate(0));
      return true;
    },
    /** Every partition that has rows, sorted by code unit. */
    partitions: async () => {
      await flush();
      return [...places.keys()].sort();
    },
    /** The rows of one partition, in parts. */
    read: async function* (partition: string): AsyncGenerator<RowBatch, void, void> {
      for (let { at, length } of places.get(partition) ?? []) {
        while (length > 0) {
          const rows = await readRows({ at, length });
          at += rows.length;
          length -= rows.length;
          yield batchOfLines(rows);
        }
      }
    },
    /** Removes the file. */
    close: async () => {
      await handle.close();
      await rm(path, { force: true });
    },
  };
}
