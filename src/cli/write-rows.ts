import type { Chunk, Encoder, EncoderOptions, Loss } from "../export/formats/encoder.ts";
import { loadEncoder, type RowFormat } from "../export/formats/registry.ts";
import { openSink, type SinkOptions } from "../export/sink.ts";
import type { RowBatch } from "../rows/batch.ts";
import type { Context } from "./context.ts";
import type { OutputOptions, PageOptions } from "./flags/output.ts";
import type { Reporter } from "./reporter.ts";

type WriteTarget = Pick<Context, "stdout" | "signal" | "pid">;

/** What is written unchanged. */
const asItIs: Encoder<Chunk> = { begin: () => "", encode: (chunk) => chunk, end: () => "" };

/** Writes encoded output, such as the text of a table. */
export async function writeChunks(
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  output: OutputOptions<string>,
  target: WriteTarget,
): Promise<void> {
  await withSink(
    { ...output, ...target },
    () => asItIs,
    async (write) => {
      for await (const chunk of chunks) {
        await write(chunk);
      }
    },
  );
}

/** Writes an HTML page, and before it what else is asked for: nothing at all if the page must not replace a file. */
export async function writePage(
  html: string,
  { file, isOnly, ...page }: PageOptions,
  target: WriteTarget,
  writeListing: () => Promise<void>,
): Promise<void> {
  await withSink(
    { output: file, ...page, ...target },
    () => asItIs,
    async (write) => {
      if (!isOnly) {
        await writeListing();
      }
      await write(html);
    },
  );
}

/** Writes rows as they arrive; one batch is in memory at a time. Warns about what the format cannot represent. */
export async function writeRows(
  batches: AsyncIterable<RowBatch> | Iterable<RowBatch>,
  output: OutputOptions<RowFormat>,
  encoding: EncoderOptions,
  reporter: Reporter,
  target: WriteTarget,
): Promise<void> {
  await withRowWriter(output, encoding, reporter, target, async (write) => {
    for await (const batch of batches) {
      await write(batch);
    }
  });
}

/** As `writeRows`, for rows that `produce` hands on. The output is complete when `produce` has settled. */
export async function withRowWriter<T>(
  output: OutputOptions<RowFormat>,
  encoding: EncoderOptions,
  reporter: Reporter,
  target: WriteTarget,
  produce: (write: (rows: RowBatch) => Promise<void>) => Promise<T>,
): Promise<T> {
  const { format, links } = output;
  const createEncoder = await loadEncoder(format, target.signal);
  return await withSink(
    { ...output, ...target, beforeData: reporter.dataBegins },
    (scratchPath) => createEncoder({ ...encoding, links, onLoss: lossWarnings(format, reporter) }, scratchPath),
    produce,
  );
}

async function withSink<Input, T>(
  options: SinkOptions,
  createEncoder: (scratchPath: () => Promise<string>) => Encoder<Input>,
  use: (write: (input: Input) => Promise<void>) => Promise<T>,
): Promise<T> {
  await using sink = await openSink(options, createEncoder);
  const result = await use(sink.write);
  await sink.finish();
  return result;
}

/** What is said of something that a format cannot represent. */
const LOSS_TEXTS: Readonly<Record<Loss, (column: string, format: RowFormat) => string>> = {
  member: (name, format) => `rows hold ${JSON.stringify(name)}, which ${format} leaves out; ndjson keeps it`,
  surrogate: (column) => `${column} holds half a surrogate pair, written as U+FFFD; ndjson keeps it`,
  digits: (column) => `${column} holds a number that no double is equal to, so it is written rounded; ndjson keeps it`,
  end: (column) => `${column} holds a text longer than the 32,767 characters of a cell, cut; ndjson keeps it`,
  link: () => "a sheet holds 65,530 links; the addresses after them are plain text",
};

/** Warns once about each thing that a format cannot represent, in however many files and batches. */
export function lossWarnings(
  format: RowFormat,
  { warn, note }: Pick<Reporter, "warn" | "note">,
): (loss: Loss, column: string) => void {
  const told = new Set<string>();
  return (loss, column) => {
    const text = LOSS_TEXTS[loss](column, format);
    if (!told.has(text)) {
      told.add(text);
      loss === "link" ? note(text) : warn(text);
    }
  };
}
