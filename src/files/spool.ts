import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createOwnFile, openOwnFile } from "./own-file.ts";
import { errorCode, fileError, withFileError } from "./system-error.ts";

/** A place in a spool, in bytes. */
export interface Extent {
  at: number;
  length: number;
}

/** Keeps pieces of bytes in one file until they are wanted. Memory: a few numbers for each piece. */
export type Spool = Awaited<ReturnType<typeof spoolIn>>;

/** System errors that mean a full disk. */
const DISK_FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Opens a spool at `path` and keeps the pieces `kept`. If there are none, the file must not exist yet. */
export function openSpool(path: string, limit: number, kept: readonly Extent[]): Promise<Spool> {
  return spoolIn(path, limit, kept, () =>
    kept.length === 0 ? createOwnFile(path) : openOwnFile(path, constants.O_RDWR),
  );
}

/**
 * Opens a spool in an unnamed file in the system's folder for temporary files. The file is created with the first piece,
 * and the system removes it when the process ends.
 */
export function openTemporarySpool(limit: number): Promise<Spool> {
  const path = join(tmpdir(), `catalog-${randomUUID()}.spool`);
  return spoolIn(path, limit, [], async () => {
    const handle = await createOwnFile(path, { mode: 0o600 });
    await rm(path, { force: true });
    return handle;
  });
}

async function spoolIn(path: string, asked: number, kept: readonly Extent[], open: () => Promise<FileHandle>) {
  const limit = Math.min(asked, await halfOfFreeSpace(dirname(path)));
  const room = createRoom(kept);
  let opening: Promise<FileHandle> | undefined;
  let isFull = false;
  const handle = () => (opening ??= open());
  return {
    /**
     * @param beyondLimit write even if the limit is reached
     * @returns undefined if there is no room: the limit is reached or the disk is full
     */
    write: async (bytes: Buffer, beyondLimit = false): Promise<Extent | undefined> => {
      if (!beyondLimit && (isFull || room.used() + bytes.length > limit)) {
        return undefined;
      }
      const extent = room.take(bytes.length);
      try {
        await writeAt(await handle(), bytes, extent.at);
        return extent;
      } catch (error) {
        room.give(extent);
        if (DISK_FULL.has(errorCode(error) ?? "")) {
          isFull = true;
          return undefined;
        }
        throw fileError(path, error);
      }
    },
    read: ({ at, length }: Extent): Promise<Buffer> =>
      withFileError(path, async () => {
        const { buffer, bytesRead } = await (await handle()).read(Buffer.allocUnsafe(length), 0, length, at);
        return buffer.subarray(0, bytesRead);
      }),
    /** Frees the room of a piece. */
    free: (extent: Extent): void => {
      room.give(extent);
      isFull = false;
    },
    hasRoom: () => !isFull && room.used() < limit,
    /** Resolves when everything written survives a loss of power. */
    sync: async () => (await opening)?.datasync(),
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}

/** Half, because the output needs room on the same disk. */
async function halfOfFreeSpace(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return Math.floor((bavail * bsize) / 2);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Writes all bytes at a place in a file. */
export async function writeAt(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
  }
}

/** Manages the free parts of a file. A piece goes to the first gap that is large enough, so that the file stays short. */
function createRoom(kept: readonly Extent[]) {
  let end = 0;
  let used = 0;
  /** In order, never touching each other. */
  let gaps: Extent[] = [];
  for (const { at, length } of [...kept].sort((a, b) => a.at - b.at)) {
    if (at > end) {
      gaps.push({ at: end, length: at - end });
    }
    end = Math.max(end, at + length);
    used += length;
  }
  return {
    used: () => used,
    take: (length: number): Extent => {
      used += length;
      const index = gaps.findIndex((gap) => gap.length >= length);
      const gap = gaps[index];
      if (gap === undefined) {
        end += length;
        return { at: end - length, length };
      }
      const { at } = gap;
      gap.at += length;
      gap.length -= length;
      if (gap.length === 0) {
        gaps.splice(index, 1);
      }
      return { at, length };
    },
    give: ({ at, length }: Extent): void => {
      used -= length;
      const before = gaps.find((gap) => gap.at + gap.length === at);
      const after = gaps.find((gap) => gap.at === at + length);
      const start = before?.at ?? at;
      const stop = at + length + (after?.length ?? 0);
      gaps = gaps.filter((gap) => gap !== before && gap !== after);
      if (stop === end) {
        end = start;
      } else {
        gaps = [...gaps, { at: start, length: stop - start }].sort((a, b) => a.at - b.at);
      }
    },
  };
}
