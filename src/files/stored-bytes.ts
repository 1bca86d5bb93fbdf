import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOwnFile, openOwnFile } from "./own-file.ts";
import { readAt } from "./read-at.ts";
import { errorCode, fileError, ifPresent, withFileError } from "./system-error.ts";

/** Where a piece of bytes lies. */
export interface Extent {
  at: number;
  length: number;
}

/** Pieces of bytes on disk, which are appended and read again. Memory: a few numbers. */
export interface StoredBytes {
  /**
   * Resolves when the operating system has the piece.
   *
   * @returns undefined if there is no room, where that is no error
   */
  append(bytes: Buffer): Promise<Extent | undefined>;
  /** Undefined if the file was cut. */
  read(extent: Extent): Promise<Buffer | undefined>;
  /** The piece is not needed any more. */
  free(extent: Extent): void;
  hasRoom(): boolean;
  /** Resolves when everything that was appended would survive a loss of power. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the file at `path`, or creates it, and appends after its first `end` bytes. */
export async function openStoredBytes(path: string, end: number): Promise<StoredBytes> {
  const handle = (await ifPresent(path, () => openOwnFile(path, constants.O_RDWR))) ?? (await createOwnFile(path));
  await withFileError(path, async () => {
    if ((await handle.stat()).size > end) {
      await handle.truncate(end);
    }
  });
  let next = end;
  return {
    append: async (bytes) => {
      const at = next;
      next += bytes.length;
      await withFileError(path, () => writeAt(handle, bytes, at));
      return { at, length: bytes.length };
    },
    read: (extent) => withFileError(path, () => pieceAt(handle, extent)),
    free: () => undefined,
    hasRoom: () => true,
    sync: () => withFileError(path, () => handle.datasync()),
    close: () => handle.close(),
  };
}

/** System errors that mean a full disk. */
const DISK_FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Bytes of a segment after which the next one begins. */
const SEGMENT_BYTES = 64 * 1024 * 1024;

/** Most bytes that wait on disk for the reader of stdout. */
const WAITING_BYTES = 4 * 1024 ** 3;

interface Segment {
  /** Extents count through all segments. */
  start: number;
  end: number;
  /** Pieces that are still needed. */
  pieces: number;
  handle: Promise<FileHandle>;
}

/**
 * Bytes in unnamed files in the system's folder for temporary files, which the system removes when this process ends. A
 * file is closed when all of its pieces are freed.
 *
 * @param limit bytes on disk from which on there is no room, and a full disk is none either; without it a full disk is an
 *   error
 */
export function temporaryBytes(limit?: number): StoredBytes {
  const segments: Segment[] = [];
  let isFull = false;
  const used = () => segments.reduce((sum, { start, end }) => sum + end - start, 0);
  const segmentAt = (at: number) => segments.findLast(({ start }) => start <= at) as Segment;
  const hasRoom = () => !isFull && used() < (limit ?? Number.POSITIVE_INFINITY);
  const close = async ({ handle }: Segment) => await (await handle.catch(() => undefined))?.close();

  function free({ at, length }: Extent): void {
    if (length === 0) {
      return;
    }
    const segment = segmentAt(at);
    segment.pieces -= 1;
    if (segment.pieces === 0 && (isFull || segment.end - segment.start >= SEGMENT_BYTES)) {
      segments.splice(segments.indexOf(segment), 1);
      isFull = false;
      void close(segment);
    }
  }

  return {
    append: async (bytes) => {
      const { length } = bytes;
      if (length === 0) {
        return { at: 0, length };
      }
      if (!hasRoom()) {
        return undefined;
      }
      let segment = segments.at(-1);
      if (segment === undefined || segment.end - segment.start >= SEGMENT_BYTES) {
        const start = segment?.end ?? 0;
        segment = { start, end: start, pieces: 0, handle: openUnnamed() };
        segments.push(segment);
      }
      const { start, end: at } = segment;
      segment.end += length;
      segment.pieces += 1;
      try {
        await writeAt(await segment.handle, bytes, at - start);
        return { at, length };
      } catch (error) {
        isFull = limit !== undefined && DISK_FULL.has(errorCode(error) ?? "");
        const isAnError = !isFull;
        free({ at, length });
        if (isAnError) {
          throw fileError(tmpdir(), error);
        }
        return undefined;
      }
    },
    read: async ({ at, length }) => {
      if (length === 0) {
        return Buffer.alloc(0);
      }
      return await withFileError(tmpdir(), async () => {
        const { start, handle } = segmentAt(at);
        return await pieceAt(await handle, { at: at - start, length });
      });
    },
    free,
    hasRoom,
    sync: async () => undefined,
    close: async () => {
      await Promise.all(segments.map(close));
    },
  };
}

/** Bytes that may wait on disk for the reader of stdout: at most half of what is free, because others need room, too. */
export async function waitingRoom(): Promise<number> {
  return Math.min(WAITING_BYTES, Math.floor((await freeBytes(tmpdir())) / 2));
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
