import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { fileError } from "./system-error.ts";

/** Size and SHA-256 of a file. */
export interface Fingerprint {
  bytes: number;
  sha256: string;
}

export type RunningFingerprint = ReturnType<typeof runningFingerprint>;

/** The fingerprint of an output, computed while it is written. */
export function runningFingerprint() {
  let hash = createHash("sha256");
  let bytes = 0;
  return {
    add: (chunk: Uint8Array): void => {
      hash.update(chunk);
      bytes += chunk.length;
    },
    reset: (): void => {
      hash = createHash("sha256");
      bytes = 0;
    },
    /** Call it once, at the end. */
    value: (): Fingerprint => ({ bytes, sha256: hash.digest("hex") }),
  };
}

/**
 * Fingerprint of a file, read in bounded memory.
 *
 * @param opened the file, if it is already open: the path may name a different file by now
 */
export async function fingerprint(
  path: string,
  { opened, signal }: { opened?: FileHandle; signal?: AbortSignal } = {},
): Promise<Fingerprint> {
  const running = runningFingerprint();
  try {
    const content = opened?.createReadStream({ start: 0, autoClose: false }) ?? createReadStream(path);
    for await (const chunk of content) {
      signal?.throwIfAborted();
      running.add(chunk as Buffer);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw fileError(path, error);
  }
  return running.value();
}
