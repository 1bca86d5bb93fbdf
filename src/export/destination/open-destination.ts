import { join } from "node:path";
import type { Writable } from "node:stream";
import { UsageError } from "../../contract/errors.ts";
import { type Fingerprint, type RunningFingerprint, runningFingerprint } from "../../files/fingerprint.ts";
import { fsyncFile } from "../../files/fsync.ts";
import { createOwnFile, removeOwnFile } from "../../files/own-file.ts";
import { type ScratchFolder, scratchFolder } from "../../files/scratch-folder.ts";
import { withFileError } from "../../files/system-error.ts";
import type { RowBatch } from "../../rows/batch.ts";
import type { Chunk, Encoder } from "../formats/encoder.ts";
import { removeManifest } from "../manifest.ts";
import { type Compression, compressed } from "./compression.ts";
import type { Destination } from "./destination.ts";
import { type FileOptions, openFile, partialPathOf } from "./partial-file.ts";
import { isStdout, writeToStdout } from "./stdout.ts";

export interface DestinationOptions extends FileOptions {
  /** A path, or `-` for stdout, which is also the default. */
  output: string | undefined;
  stdout: Writable;
  /** Called before the first data goes to stdout. */
  beforeData?: (() => void) | undefined;
  compression?: Compression | undefined;
  /** What needs a regular file as the output, if anything does. */
  fileFor?: "--manifest" | "--resume" | undefined;
  /** Computed from what is written, for a manifest. Without it, the output loses the manifest of what it had before. */
  fingerprint?: RunningFingerprint | undefined;
}

/**
 * Opens stdout or a file; detects as early as possible what would otherwise fail at the end.
 *
 * @throws UsageError if the output is no file and `fileFor` needs one
 */
export async function openDestination<Input>(
  options: DestinationOptions,
  createEncoder: (scratchPath: () => Promise<string>) => Encoder<Input>,
): Promise<Destination<Input>> {
  const { output, stdout, compression, fileFor, fingerprint } = options;
  let folder: ScratchFolder | undefined;
  const scratchPath = async (): Promise<string> => {
    if (destination.file !== undefined) {
      return partialPathOf(destination.file.path);
    }
    folder ??= await scratchFolder();
    return join(folder.path, "output");
  };
  // Before the output is opened: an encoder that refuses its columns leaves no file behind.
  const encoder = compressed(createEncoder(scratchPath), compression);
  const destination = isStdout(output) ? writeToStdout(stdout, options) : await openFile(output, options);
  const { file } = destination;
  if (file === undefined && fileFor !== undefined) {
    await destination[Symbol.asyncDispose]();
    throw new UsageError(`${fileFor} needs a regular file, but ${output} is not one`, { flag: fileFor });
  }
  const write = async (chunk: Chunk): Promise<void> => {
    await destination.write(chunk);
    fingerprint?.add(chunk);
  };
  return {
    ...(file !== undefined && { file }),
    write: async (input) => await write(await encoder.encode(input)),
    finish: async () => {
      for await (const chunk of encoder.end()) {
        await write(chunk);
      }
      await encoder.close?.();
      await destination.finish();
      if (file !== undefined && fingerprint === undefined) {
        await removeManifest(file.path);
      }
    },
    [Symbol.asyncDispose]: async () => {
      // An error would hide the reason why the output is given up.
      await encoder.close?.().catch(() => undefined);
      await folder?.[Symbol.asyncDispose]();
      await destination[Symbol.asyncDispose]();
    },
  };
}

/** Writes batches of rows as one new file in a folder of this tool, synced to disk. After an error it is incomplete. */
export async function writeStaged(
  path: string,
  batches: AsyncIterable<RowBatch>,
  createEncoder: (scratchPath: () => Promise<string>) => Encoder<RowBatch>,
  compression?: Compression,
): Promise<{ rows: number } & Fingerprint> {
  // Before the file is created: an encoder that refuses its columns leaves none behind.
  const encoder = compressed(
    createEncoder(async () => path),
    compression,
  );
  // A day that has not changed leaves its staged file here, and the same run may stage it again.
  await removeOwnFile(path);
  const file = await createOwnFile(path);
  const fingerprint = runningFingerprint();
  const write = async (chunk: Chunk): Promise<void> => {
    await withFileError(path, () => file.writeFile(chunk));
    fingerprint.add(chunk);
  };
  let rows = 0;
  try {
    for await (const batch of batches) {
      await write(await encoder.encode(batch));
      rows += batch.length;
    }
    for await (const chunk of encoder.end()) {
      await write(chunk);
    }
    await withFileError(path, () => fsyncFile(file));
  } finally {
    await withFileError(path, () => file.close()).finally(() => encoder.close?.());
  }
  return { rows, ...fingerprint.value() };
}
