import type { Compression } from "../output/destination/compression.ts";
import { openFile } from "../output/destination/file.ts";
import type { PartitionSpool } from "../output/destination/partition-spool.ts";
import type { RowEncoder } from "../output/formats/encoder.ts";
import type { RowSink } from "../pull/pull.ts";
import type { RowBatch } from "../rows/batch.ts";
import { createSink } from "./sink.ts";

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
      return slices;
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
  const sink = createSink(await openFile(path), { createEncoder: () => encoder, compression });
  let rows = 0;
  try {
    for await (const batch of batches) {
      await sink.write(batch);
      rows += batch.length;
    }
    await sink.finish();
  } catch (error) {
    await sink.abandon();
    throw error;
  }
  return rows;
}
