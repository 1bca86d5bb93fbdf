import { type Compression, compressed } from "../output/destination/compression.ts";
import { openFile } from "../output/destination/file.ts";
import type { PartitionSpool } from "../output/destination/partition-spool.ts";
import type { RowEncoder } from "../output/formats/encoder.ts";
import type { RowSink } from "../pull/pull.ts";
import type { RowBatch } from "../rows/batch.ts";

/** Writes the rows of a pull to the partitions of a spool; slices can be removed again. */
export function createPartitionSink(
  spool: PartitionSpool,
  partitionOf: (rows: RowBatch, row: number) => string,
): RowSink {
  const ends: number[] = [];
  return {
    write: (rows) => spool.add(rows, partitionOf),
    endSlice: async () => {
      ends.push(await spool.flush());
    },
    rewind: async (slices) => {
      ends.length = slices;
      await spool.truncate(ends.at(-1) ?? 0);
      return true;
    },
  };
}

/** Writes batches of rows as one complete file and syncs it to disk; returns its number of rows. */
export async function writeWhole(
  path: string,
  batches: AsyncIterable<RowBatch>,
  encoder: RowEncoder,
  compression?: Compression,
): Promise<number> {
  const file = await openFile(path);
  const destination = compression === undefined ? file : compressed(file, compression);
  let rows = 0;
  const put = async (chunk: string | Uint8Array) => {
    if (chunk.length > 0) {
      await destination.write(chunk);
    }
  };
  try {
    await put(await encoder.begin());
    for await (const batch of batches) {
      await put(await encoder.encode(batch));
      rows += batch.length;
    }
    await put(await encoder.end());
    await destination.finish();
  } catch (error) {
    await destination.abandon();
    throw error;
  }
  return rows;
}
