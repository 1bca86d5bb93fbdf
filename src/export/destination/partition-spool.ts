import { rm } from "node:fs/promises";
import { type Extent, openStoredBytes } from "../../files/stored-bytes.ts";
import { fileError } from "../../files/system-error.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { LINE_FEED } from "../../rows/json-bytes.ts";
import { batchOfLines } from "../../rows/scan.ts";

/**
 * Sorts rows into partitions, through one file. It is written in parts, each of which has rows of one partition: about
 * `PART_BYTES`, or as many as the buffer had. The rows of a partition keep their order. Memory: `BUFFER_BYTES` of rows, a part,
 * and an entry for each part.
 */
export type PartitionSpool = Awaited<ReturnType<typeof openPartitionSpool>>;

const BUFFER_BYTES = 16 * 1024 * 1024;
const PART_BYTES = 1024 * 1024;

/** Adjacent rows of a batch: from `from` up to, but not including, `to`. */
interface RowRun {
  rows: RowBatch;
  from: number;
  to: number;
}

/**
 * @param partitionOf returns the partition of a row
 * @param bufferBytes maximum bytes of rows in memory
 * @param partBytes a part ends when it has at least this many bytes
 */
export async function openPartitionSpool(
  path: string,
  partitionOf: (rows: RowBatch, row: number) => string,
  bufferBytes = BUFFER_BYTES,
  partBytes = PART_BYTES,
) {
  const file = await openStoredBytes(path, 0);
  const stored = new Map<string, Extent[]>();
  const buffered = new Map<string, RowRun[]>();
  let bufferedBytes = 0;

  async function flush(): Promise<void> {
    for (const [partition, runs] of buffered) {
      for (const part of inParts(runs, partBytes)) {
        add(stored, partition, await file.append(part));
      }
    }
    buffered.clear();
    bufferedBytes = 0;
  }

  return {
    write: async (rows: RowBatch): Promise<void> => {
      for (let row = 0; row < rows.length; row += 1) {
        const partition = partitionOf(rows, row);
        const last = buffered.get(partition)?.at(-1);
        if (last?.rows === rows && last.to === row) {
          last.to = row + 1;
        } else {
          add(buffered, partition, { rows, from: row, to: row + 1 });
        }
      }
      bufferedBytes += rows.lines().length;
      if (bufferedBytes >= bufferBytes) {
        await flush();
      }
    },
    /** Every partition that has rows, sorted by code unit. */
    partitions: async () => {
      await flush();
      return [...stored.keys()].sort();
    },
    /** The rows of one partition, in parts; call `partitions` before. */
    read: async function* (partition: string): AsyncGenerator<RowBatch, void, void> {
      for (const part of stored.get(partition) ?? []) {
        const lines = await file.read(part);
        if (lines?.at(-1) !== LINE_FEED) {
          throw fileError(
            path,
            new Error(`its bytes from ${part.at} on are damaged: they do not end with a whole row`),
          );
        }
        yield batchOfLines(lines);
      }
    },
    /** Removes the file. */
    [Symbol.asyncDispose]: async () => {
      await file.close();
      await rm(path, { force: true });
    },
  };
}

/** The lines of the runs, in parts of at least `partBytes` except for the last. */
function* inParts(runs: readonly RowRun[], partBytes: number): Generator<Buffer, void, void> {
  let part: Buffer[] = [];
  let size = 0;
  for (const [index, { rows, from, to }] of runs.entries()) {
    const lines = rows.bytesOf(from, to);
    part.push(lines);
    size += lines.length;
    if (size >= partBytes || index === runs.length - 1) {
      yield Buffer.concat(part);
      [part, size] = [[], 0];
    }
  }
}

function add<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  list === undefined ? lists.set(key, [item]) : list.push(item);
}
