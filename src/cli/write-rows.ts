import type { Context } from "../context.ts";
import { openDestination } from "../output/destination/open.ts";
import type { EncoderOptions } from "../output/formats/encoder.ts";
import { loadEncoder, type RowFormat } from "../output/formats/registry.ts";
import type { RowBatch } from "../rows/batch.ts";
import type { OutputOptions } from "./flags/output.ts";

/** Writes a text that is complete already, such as a table. */
export async function writeText(text: string, options: OutputOptions<string>, context: Context): Promise<void> {
  await writeChunks([text], options, context);
}

/** Writes rows that are in memory already. */
export async function writeRows(
  rows: RowBatch,
  options: OutputOptions<RowFormat>,
  encoding: EncoderOptions,
  context: Context,
): Promise<void> {
  const encoder = (await loadEncoder(options.format))(encoding);
  await writeChunks([await encoder.begin(), await encoder.encode(rows), await encoder.end()], options, context);
}

async function writeChunks(
  chunks: readonly (string | Uint8Array)[],
  options: OutputOptions<string>,
  context: Context,
): Promise<void> {
  const destination = await openDestination({ ...options, stdout: context.stdout, signal: context.signal });
  try {
    for (const chunk of chunks) {
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
