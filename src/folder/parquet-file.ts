import type { AsyncBuffer } from "hyparquet";
import { fingerprint } from "../files/fingerprint.ts";
import { openOwnFile } from "../files/own-file.ts";
import { readAt } from "../files/read-at.ts";
import { ifPresent } from "../files/system-error.ts";
import type { DayState } from "./folder-state.ts";

/** A file opened for reading as Parquet. Its content stays the same, even if the file is replaced. */
export interface OpenParquetFile {
  path: string;
  buffer: AsyncBuffer;
  bytes: number;
  sha256: string;
  close(): Promise<void>;
}

/**
 * Opens the file of a day.
 *
 * @returns undefined if it is missing, or has another size or SHA-256 than expected
 * @throws FileError if it cannot be read
 */
export async function openUnaltered(
  path: string,
  { bytes, sha256 }: Pick<DayState, "bytes" | "sha256">,
): Promise<OpenParquetFile | undefined> {
  const file = await ifPresent(path, () => openParquet(path));
  if (file === undefined || (file.bytes === bytes && file.sha256 === sha256)) {
    return file;
  }
  await file.close();
  return undefined;
}

/** @throws FileError if it is no regular file, or cannot be read */
export async function openParquet(path: string): Promise<OpenParquetFile> {
  const file = await openOwnFile(path);
  const { bytes: byteLength, sha256 } = await fingerprint(path, { opened: file }).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  const slice = async (start: number, end = byteLength) => {
    const bytes = new Uint8Array(end - start);
    await readAt(file, bytes, start);
    return bytes.buffer;
  };
  return { path, buffer: { byteLength, slice }, bytes: byteLength, sha256, close: () => file.close() };
}
