import { open, rm } from "node:fs/promises";
import { readAt } from "../../files/read-at.ts";
import { type Extent, writeAt } from "../../files/stored-bytes.ts";
import { fileError, withFileError } from "../../files/system-error.ts";
import { RowBatch, type RowRun, sizeOfRun } from "../../rows/batch.ts";
import { batchOfLines } from "../../rows/scan.ts";

/**
 * Sorts rows into partitions, through a single file on disk if there are many. Memory: `BUFFER_BYTES` of rows, two parts of
 * `PART_BYTES`, and 16 bytes for each written run of rows of one partition. Only one file is open, however many partitions
 * there are. The rows of a partition keep their order.
 */
export type PartitionSpool = Awaited<ReturnType<typeof openPartitionSpool>>;

const BUFFER_BYTES = 16 * 1024 * 1024;

/** Bytes that are written or read at once. A longer row is read as a whole. */
const PART_BYTES = 1024 * 1024;

const LINE_FEED = 10;

/** @param partitionOf returns the partition of a row */
export async function openPartitionSpool(path: string, partitionOf: (rows: RowBatch, row: number) => string) {
  const handle = await withFileError(path, () => open(path, "w+"));
  const places = new Map<string, Extent[]>();
  const part = Buffer.allocUnsafe(PART_BYTES);
  const buffered = new Map<string, RowRun[]>();
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
      for (const { rows, from, to } of runs) {
        const bytes = rows.bytesOf(from, to);
        for (let at = 0; at < bytes.length; ) {
          const copied = bytes.copy(part, held, at);
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

  /** The rows of a partition that are not on disk, in parts. */
  function* bufferedRows(partition: string): Generator<RowBatch, void, void> {
    let runs: RowRun[] = [];
    let size = 0;
    for (const run of buffered.get(partition) ?? []) {
      runs.push(run);
      size += sizeOfRun(run);
      if (size >= PART_BYTES) {
        yield RowBatch.joined(runs);
        [runs, size] = [[], 0];
      }
    }
    if (runs.length > 0) {
      yield RowBatch.joined(runs);
    }
  }

  function forget(): void {
    buffered.clear();
    bufferedBytes = 0;
  }

  return {
    write: async (rows: RowBatch): Promise<void> => {
      for (let row = 0; row < rows.length; row += 1) {
        const partition = partitionOf(rows, row);
        const runs = buffered.get(partition);
        const last = runs?.at(-1);
        if (last?.rows === rows && last.to === row) {
          last.to = row + 1;
        } else {
          const run = { rows, from: row, to: row + 1 };
          runs === undefined ? buffered.set(partition, [run]) : runs.push(run);
        }
      }
      bufferedBytes += rows.lines().length;
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
      if (length > 0) {
        await flush();
      }
      return [...(length > 0 ? places : buffered).keys()].sort();
    },
    /** The rows of one partition, in parts; call `partitions` before. */
    read: async function* (partition: string): AsyncGenerator<RowBatch, void, void> {
      for (let { at, length } of places.get(partition) ?? []) {
        while (length > 0) {
          const rows = await readRows({ at, length });
          at += rows.length;
          length -= rows.length;
          yield batchOfLines(rows);
        }
      }
      yield* bufferedRows(partition);
    },
    /** Removes the file. */
    close: async () => {
      await handle.close();
      await rm(path, { force: true });
    },
  };
}
