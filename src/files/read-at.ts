import type { FileHandle } from "node:fs/promises";

/**
 * Fills `target` with the bytes of a file from `at` on. One read of the system may give fewer bytes than it was asked for.
 *
 * @throws Error if the file ends before `target` is full
 */
export async function readAt(file: FileHandle, target: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < target.length; ) {
    const { bytesRead } = await file.read(target, done, target.length - done, at + done);
    if (bytesRead === 0) {
      throw new Error(`it ends after ${at + done} bytes`);
    }
    done += bytesRead;
  }
}
