import { type FileHandle, open } from "node:fs/promises";
import type { AsyncBuffer, ParquetParsers } from "hyparquet";
import { fileError } from "../../files/system-error.ts";

/** A file opened for reading as Parquet. Its content stays the same, even if the file is replaced. */
export interface OpenParquetFile {
  buffer: AsyncBuffer;
  close(): Promise<void>;
}

/** @throws FileError if it cannot be opened */
export async function openParquet(path: string): Promise<OpenParquetFile> {
  try {
    const file = await open(path);
    return { buffer: bufferOf(file, (await file.stat()).size), close: () => file.close() };
  } catch (error) {
    throw fileError(path, error);
  }
}

/** The file access that the Parquet reader needs. */
export function bufferOf(file: FileHandle, byteLength: number): AsyncBuffer {
  return {
    byteLength,
    slice: async (start, end = byteLength) => {
      const bytes = new Uint8Array(end - start);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
      if (bytesRead < bytes.length) {
        throw new Error(`it ends after ${start + bytesRead} bytes`);
      }
      return bytes.buffer;
    },
  };
}

/** A byte order mark is part of the text; by default a decoder would remove it. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Values as the file stores them: texts, doubles, null, and a date as days since 1970-01-01. */
export const STORED_VALUES: Partial<ParquetParsers> = {
  stringFromBytes: (bytes) => bytes && utf8.decode(bytes),
  dateFromDays: (days) => days,
};
