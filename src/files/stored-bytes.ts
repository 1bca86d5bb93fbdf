import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fsyncContent } from "./fsync.ts";
import { createOwnFile, openOwnFile } from "./own-file.ts";
import { errorCode, fileError, ifPresent, withFileError } from "./system-error.ts";

/** Where a piece of bytes lies. */
export interface Extent {
  at: number;
  length: number;
}

/** Pieces of bytes on disk, which are appended and read again. Memory: a few numbers. */
export interface StoredBytes {
  /** Resolves when the operating system has the piece. */
  append(bytes: Buffer): Promise<Extent>;
  /** Undefined if the file was cut. */
  read(extent: Extent): Promise<Buffer | undefined>;
  /** The piece is no longer needed; may be called twice. */
  free(extent: Extent): void;
  /** Resolves when everything that was appended would survive a loss of power. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the file at `path`, or creates it, and appends after its first `end` bytes, one piece after the other: a process that
 * is killed leaves no gap.
 *
 * @param beforeAppend called before each piece is written; an error keeps it from the file
 */
export async function openStoredBytes(
  path: string,
  end: number,
  beforeAppend: () => Promise<void> = async () => undefined,
): Promise<StoredBytes> {
  const handle =
    (await ifPresent(path, () => openOwnFile(path, constants.O_RDWR))) ?? (await createOwnFile(path, { mode: 0o600 }));
  try {
    if ((await handle.stat()).size > end) {
      await handle.truncate(end);
    }
  } catch (error) {
    await handle.close();
    throw fileError(path, error);
  }
  let next = end;
  let writing = Promise.resolve();
  return {
    append: async (bytes) => {
      await beforeAppend();
      const at = next;
      next += bytes.length;
      writing = writing.then(() => withFileError(path, () => writeAt(handle, bytes, at)));
      await writing;
      return { at, length: bytes.length };
    },
    read: (extent) => withFileError(path, () => pieceAt(handle, extent)),
    free: () => undefined,
    sync: async () => void (await withFileError(path, () => fsyncContent(handle))),
    close: () => handle.close(),
  };
}

/** Bytes of a temporary file after which the next one begins. */
const SEGMENT_BYTES = 64 * 1024 * 1024;

/** A file of temporary bytes. */
interface Segment {
  handle: Promise<FileHandle>;
  length: number;
  /** Pieces that are still needed. */
  pieces: number;
}

/**
 * Bytes in unnamed files in the system's folder for temporary files, which the system removes when this process ends. A
 * file is closed when all of its pieces are freed.
 */
export function temporaryBytes(): StoredBytes {
  const segments = new Set<Segment>();
  const segmentOf = new WeakMap<Extent, Segment>();
  /** Nothing depends on its success: the bytes are no longer needed. */
  const close = async ({ handle }: Segment) => await handle.then((file) => file.close()).catch(() => undefined);

  const free = (extent: Extent): void => {
    const segment = segmentOf.get(extent);
    if (segment !== undefined) {
      segmentOf.delete(extent);
      segment.pieces -= 1;
      if (segment.pieces === 0) {
        segments.delete(segment);
        void close(segment);
      }
    }
  };

  return {
    append: async (bytes) => {
      let segment = [...segments].at(-1);
      if (segment === undefined || segment.length >= SEGMENT_BYTES) {
        segment = { handle: openUnnamed(), length: 0, pieces: 0 };
        segments.add(segment);
      }
      const extent: Extent = { at: segment.length, length: bytes.length };
      segmentOf.set(extent, segment);
      segment.length += bytes.length;
      segment.pieces += 1;
      const { handle } = segment;
      await withFileError(tmpdir(), async () => await writeAt(await handle, bytes, extent.at));
      return extent;
    },
    read: async (extent) => {
      const segment = segmentOf.get(extent);
      return segment && (await withFileError(tmpdir(), async () => await pieceAt(await segment.handle, extent)));
    },
    free,
    sync: async () => undefined,
    close: async () => {
      await Promise.all([...segments].map(close));
    },
  };
}

/** Bytes that this user may still write on the disk of `folder`; infinite where the system does not say. */
export async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `catalog-${randomUUID()}.pages`);
  const handle = await createOwnFile(path, { mode: 0o600 });
  await rm(path, { force: true });
  return handle;
}

/** Writes all bytes at a place in a file. */
export async function writeAt(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
  }
}

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

/** Undefined if the file ends before. */
async function pieceAt(handle: FileHandle, { at, length }: Extent): Promise<Buffer | undefined> {
  const bytes = Buffer.allocUnsafe(length);
  try {
    await readAt(handle, bytes, at);
    return bytes;
  } catch (error) {
    if (errorCode(error) === undefined) {
      return undefined;
    }
    throw error;
  }
}
