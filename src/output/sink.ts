import type { Writable } from "node:stream";
import { type Fingerprint, runningFingerprint } from "../files/fingerprint.ts";
import type { RowBatch } from "../rows/batch.ts";
import { type Compression, compressed } from "./destination/compression.ts";
import type { Destination } from "./destination/destination.ts";
import { type FileOptions, openFile, openStagedFile } from "./destination/file.ts";
import { isStdout, writeToStdout } from "./destination/stdout.ts";
import type { Encoder } from "./formats/encoder.ts";

/** An output that is being made. */
export type Sink<Input> = Destination<Input>;

export interface SinkOptions extends FileOptions {
  /** A path, or `-` for stdout, which is also the default. */
  output: string | undefined;
  stdout: Writable;
  /** Called before the first data goes to stdout. */
  beforeData?: (() => void) | undefined;
  /** Aborts a write that waits for the reader of stdout. */
  signal?: AbortSignal | undefined;
  compression?: Compression | undefined;
}

/** Opens stdout or a file; detects as early as possible what would otherwise fail at the end. */
export async function openSink<Input>(options: SinkOptions, createEncoder: () => Encoder<Input>): Promise<Sink<Input>> {
  const { output, stdout, compression } = options;
  const destination = isStdout(output) ? writeToStdout(stdout, options) : await openFile(output, options);
  return sinkTo(destination, createEncoder, compression);
}

/** Writes batches of rows as one new file in a folder of this tool, synced to disk. After an error it is incomplete. */
export async function writeStaged(
  path: string,
  batches: AsyncIterable<RowBatch>,
  encoder: Encoder<RowBatch>,
  compression?: Compression,
): Promise<{ rows: number } & Fingerprint> {
  const fingerprint = runningFingerprint();
  const sink = sinkTo(await openStagedFile(path, fingerprint), () => encoder, compression);
  let rows = 0;
  try {
    for await (const batch of batches) {
      await sink.write(batch);
      rows += batch.length;
    }
    await sink.finish();
  } finally {
    await sink.abandon();
  }
  return { rows, ...fingerprint.value() };
}

function sinkTo<Input>(
  destination: Destination,
  createEncoder: () => Encoder<Input>,
  compression: Compression | undefined,
): Sink<Input> {
  let encoder: Encoder<Input> | undefined;
  const begun = async (): Promise<Encoder<Input>> => {
    if (encoder === undefined) {
      encoder = compression === undefined ? createEncoder() : compressed(createEncoder(), compression);
      await destination.write(await encoder.begin());
    }
    return encoder;
  };
  return {
    write: async (input) => destination.write(await (await begun()).encode(input)),
    restart: async () => {
      encoder = undefined;
      return await destination.restart();
    },
    finish: async () => {
      await destination.write(await (await begun()).end());
      await destination.finish();
    },
    abandon: () => destination.abandon(),
  };
}
