import type { Context } from "../context.ts";
import { openDestination } from "../output/destination/open.ts";
import type { Chunk, EncoderOptions, RowEncoder } from "../output/formats/encoder.ts";
import { loadEncoder, type RowFormat } from "../output/formats/registry.ts";
import type { RowBatch } from "../rows/batch.ts";
import type { OutputOptions } from "./flags/output.ts";

/** Writes a complete text, such as a table. */
export async function writeText(text: string, options: OutputOptions<string>, context: Context): Promise<void> {
  await writeChunks([text], options, context);
}

/** Writes rows that are in memory. */
export async function writeRows(
  rows: RowBatch,
  options: OutputOptions<RowFormat>,
  encoding: EncoderOptions,
  context: Context,
): Promise<void> {
  await writeBatches([rows], options, encoding, context);
}

/** Writes rows as they arrive; one batch is in memory at a time. */
export async function writeBatches(
  batches: AsyncIterable<RowBatch> | Iterable<RowBatch>,
  options: OutputOptions<RowFormat>,
  encoding: EncoderOptions,
  context: Context,
): Promise<void> {
  const encoder = (await loadEncoder(options.format))(encoding);
  await writeChunks(encoded(encoder, batches), options, context);
}

async function* encoded(
  encoder: RowEncoder,
  batches: AsyncIterable<RowBatch> | Iterable<RowBatch>,
): AsyncGenerator<Chunk, void, void> {
  yield await encoder.begin();
  for await (const batch of batches) {
    yield await encoder.encode(batch);
  }
  yield await encoder.end();
}

/** Writes encoded output. */
export async function writeChunks(
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  options: OutputOptions<string>,
  context: Context,
): Promise<void> {
  const destination = await openDestination({ ...options, stdout: context.stdout, signal: context.signal });
  try {
    for await (const chunk of chunks) {
      if (chunk.length > 0) {
        await destination.write(chunk);
      }
    }
    await destination.finish();
  } catch (error) {
    await destination.abandon();
    throw error;
  }
}
