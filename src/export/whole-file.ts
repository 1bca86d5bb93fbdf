import { type Compression, compressed } from "../output/destination/compression.ts";
import { type Fingerprint, openFile, runningFingerprint } from "../output/destination/file.ts";
import type { RowEncoder } from "../output/formats/encoder.ts";
import type { RowBatch } from "../rows/batch.ts";
import { createSink } from "./sink.ts";

/** Writes batches of rows as one complete file and syncs it to disk. */
export async function writeWhole(
  path: string,
  batches: AsyncIterable<RowBatch>,
  encoder: RowEncoder,
  compression?: Compression,
): Promise<{ rows: number } & Fingerprint> {
  const fingerprint = runningFingerprint();
  const file = await openFile(path, { fingerprint });
  const sink = createSink(compression === undefined ? file : compressed(file, compression), () => encoder);
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
  return { rows, ...fingerprint.value() };
}
