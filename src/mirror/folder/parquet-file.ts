import { type FileHandle, open } from "node:fs/promises";
import type { AsyncBuffer, ParquetParsers } from "hyparquet";
import { fileError } from "../../files/system-error.ts";

/** A file of the folder, open to be read as Parquet; it stays what it was, whatever is put in its place. */
export interface ParquetFile {
  buffer: AsyncBuffer;
  close(): Promise<void>;
}

/** @throws FileError if it cannot be opened */
export async function openParquet(path: string): Promise<ParquetFile> {
  try {
    const file = await open(path);
    return { buffer: bufferOf(file, (await file.stat()).size), close: () => file.close() };
  } catch (error) {
    throw fileError(path, error);
  }
}

/** What the reader of Parquet reads a file by. */
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

/** A byte order mark is a character of the text, which a decoder would swallow unasked. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Values as the file stores them: texts, doubles, null, and a date as days since 1970-01-01. */
export const STORED_VALUES: Partial<ParquetParsers> = {
  stringFromBytes: (bytes) => bytes && utf8.decode(bytes),
  dateFromDays: (days) => days,
};
