import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { fileError } from "./system-error.ts";

/** Size and SHA-256 of a file. */
export interface Fingerprint {
  bytes: number;
  sha256: string;
}

export type RunningFingerprint = ReturnType<typeof runningFingerprint>;

/** The fingerprint of an output, computed while it is written. */
export function runningFingerprint() {
  const hash = createHash("sha256");
  let bytes = 0;
  return {
    /** Adds bytes, or text as UTF-8. */
    add: (chunk: Uint8Array | string): void => {
      hash.update(chunk);
      bytes += Buffer.byteLength(chunk);
    },
    /** Call it once, at the end. */
    value: (): Fingerprint => ({ bytes, sha256: hash.digest("hex") }),
  };
}

/** Bytes that are read at once. A stream of the file takes twice the processor time. */
const AT_ONCE = 256 * 1024;

/**
 * Fingerprint of a file, read in bounded memory.
 *
 * @param opened the file at its beginning, if it is already open: the path may name a different file by now
 */
export async function fingerprint(
  path: string,
  { opened, signal }: { opened?: FileHandle; signal?: AbortSignal } = {},
): Promise<Fingerprint> {
  const running = runningFingerprint();
  const chunk = Buffer.allocUnsafe(AT_ONCE);
  try {
    const file = opened ?? (await open(path));
    try {
      for (;;) {
        signal?.throwIfAborted();
        const { bytesRead } = await file.read(chunk, 0, AT_ONCE, null);
        if (bytesRead === 0) {
          return running.value();
        }
        running.add(chunk.subarray(0, bytesRead));
      }
    } finally {
      if (opened === undefined) {
        await file.close();
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw fileError(path, error);
  }
}
