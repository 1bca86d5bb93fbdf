import { quoted } from "../contract/values/phrases.ts";
import type { Destination } from "../export/destination/destination.ts";
import { openDestination } from "../export/destination/open-destination.ts";
import type { Chunk, Encoder, EncoderOptions, Loss } from "../export/formats/encoder.ts";
import { loadEncoder, type RowFormat } from "../export/formats/registry.ts";
import type { RowBatch } from "../rows/batch.ts";
import { batchOf } from "../rows/scan.ts";
import type { Context } from "./context.ts";
import type { OutputOptions, PageOptions } from "./flags/output.ts";
import type { Reporter } from "./reporter.ts";

type WriteTarget = Pick<Context, "stdout" | "signal" | "pid">;

const unchanged: Encoder<Chunk> = { encode: (chunk) => chunk, end: () => [] };

export async function writeChunks(
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  output: OutputOptions<string>,
  target: WriteTarget,
): Promise<void> {
  await using destination = await openDestination({ ...output, ...target }, () => unchanged);
  for await (const chunk of chunks) {
    await destination.write(chunk);
  }
  await destination.finish();
}

/** Opens the file of an HTML page. Open it before a listing is written, because it throws if an existing file must be kept. */
export async function openPage(
  { file, isOnly: _, ...page }: PageOptions,
  target: WriteTarget,
): Promise<Destination<Chunk>> {
  return await openDestination({ output: file, ...page, ...target }, () => unchanged);
}

/** Writes rows as they arrive; one batch is in memory at a time. Warns about what the format cannot represent. */
export async function writeRows(
  batches: AsyncIterable<RowBatch> | Iterable<RowBatch>,
  output: OutputOptions<RowFormat>,
  encoding: EncoderOptions,
  reporter: Reporter,
  target: WriteTarget,
): Promise<void> {
  const { format, links } = output;
  const createEncoder = await loadEncoder(format, target.signal);
  const onLoss = lossWarnings(format, reporter);
  await using destination = await openDestination(
    { ...output, ...target, beforeData: reporter.dataBegins },
    (scratchPath) => createEncoder({ ...encoding, links, onLoss }, scratchPath),
  );
  for await (const batch of batches) {
    await destination.write(batch);
  }
  await destination.finish();
}

const LOSS_TEXTS: Readonly<Record<Loss, (column: string, format: RowFormat) => string>> = {
  member: (name, format) => `rows have a member ${quoted(name)}, which ${format} leaves out; ndjson keeps it`,
  surrogate: (column) => `${column} has a lone surrogate, written as U+FFFD; ndjson keeps it`,
  digits: (column) => `${column} has a number that a double cannot represent exactly, written rounded; ndjson keeps it`,
  truncated: (column) =>
    `${column} has a text longer than the 32,767 characters of a cell, which is cut; ndjson keeps it`,
  link: () => "a sheet can have 65,530 links; further addresses are plain text",
};

/** Makes a function that warns once about each kind of loss and column. */
export function lossWarnings(
  format: RowFormat,
  { warn, note }: Pick<Reporter, "warn" | "note">,
): (loss: Loss, column: string) => void {
  const reported = new Set<string>();
  return (loss, column) => {
    const text = LOSS_TEXTS[loss](column, format);
    if (!reported.has(text)) {
      reported.add(text);
      loss === "link" ? note(text) : warn(text);
    }
  };
}

/** Records per batch; one batch is in memory as rows. */
const AT_ONCE = 2_000;

/** Writes records, whose members have the order of `encoding.known`, as rows. */
export async function writeRecords(
  records: readonly object[],
  output: OutputOptions<RowFormat>,
  encoding: EncoderOptions,
  reporter: Reporter,
  target: WriteTarget,
): Promise<void> {
  await writeRows(batches(records, encoding.known), output, encoding, reporter, target);
}

function* batches(records: readonly object[], columns: readonly string[]) {
  for (let first = 0; first < records.length; first += AT_ONCE) {
    const texts = records.slice(first, first + AT_ONCE).map((record) => JSON.stringify(record));
    yield batchOf(texts, columns);
  }
}
