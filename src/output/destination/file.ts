import { constants, type Stats } from "node:fs";
import { type FileHandle, link, lstat, open, readlink, realpath, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { crc32 } from "node:zlib";
import { ClosedPipeError, FileError } from "../../errors.ts";
import { fsyncFolder } from "../../files/fsync-folder.ts";
import { createOwnFile, openOwnFile } from "../../files/own-file.ts";
import { errorCode, fileError } from "../../files/system-error.ts";
import type { Destination } from "./destination.ts";

/** A regular file in the making, from whose end bytes can be taken back. */
export interface FileDestination extends Destination {
  /** Bytes in the file so far. */
  position(): number;
  /** CRC-32 of the bytes that were written since it was last asked for, or since bytes were taken back. */
  checksum(): number;
  /** Takes back everything after the first `length` bytes. */
  truncate(length: number): Promise<void>;
  /** Resolves when everything written survives a loss of power. */
  sync(): Promise<void>;
}

interface FileOptions {
  noClobber?: boolean | undefined;
  keepPartial?: boolean | undefined;
  /** Goes on with the partial file of an earlier run, after its first so many bytes. */
  continueAt?: number | undefined;
}

/**
 * Opens `path` for a complete new content. A regular file is written beside itself as `PATH.partial` and renamed into
 * place by `finish`, so that what stood there before stays whole until then; a device or a named pipe is written
 * directly.
 */
export async function openFile(path: string, options: FileOptions = {}): Promise<Destination | FileDestination> {
  const existing = await existingAt(path);
  if (existing?.isDirectory() || /(^|\/)$/.test(path)) {
    throw new FileError(`"${path}" names a folder, not a file`, path);
  }
  if (existing !== undefined && !existing.isFile()) {
    return openSpecial(path);
  }
  if (existing !== undefined && options.noClobber) {
    throw new FileError(`${path} exists already and --no-clobber forbids to replace it`, path);
  }
  const target = await targetOf(path);
  const partial = partialPathOf(target);
  if (options.continueAt !== undefined) {
    const handle = await reopenPartial(partial, options.continueAt);
    return partialFile({ path, target, partial, handle, length: options.continueAt }, options);
  }
  const handle = await createPartial(partial, existing);
  return partialFile({ path, target, partial, handle, length: 0 }, options);
}

/** The partial file of the output `target`. */
export function partialPathOf(target: string): string {
  return `${target}.partial`;
}

interface OpenPartial {
  /** As the user named it, for messages. */
  path: string;
  target: string;
  partial: string;
  handle: FileHandle;
  length: number;
}

function partialFile(open: OpenPartial, options: FileOptions): FileDestination {
  const { path, target, partial, handle } = open;
  let { length } = open;
  let crc = 0;
  let settled = false;
  return {
    write: async (chunk) => {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      await reporting(path, () => handle.writeFile(bytes));
      length += bytes.length;
      crc = crc32(bytes, crc);
    },
    position: () => length,
    checksum: () => {
      const sum = crc;
      crc = 0;
      return sum;
    },
    truncate: async (shorter) => {
      await reporting(path, () => handle.truncate(shorter));
      length = shorter;
      crc = 0;
    },
    sync: () => reporting(path, () => handle.datasync()),
    finish: async () => {
      await reporting(path, () => handle.sync());
      await reporting(path, () => handle.close());
      // From here on the partial file is complete: it is never thrown away, whatever becomes of its name.
      settled = true;
      const place = options.noClobber ? renameToFree : rename;
      await place(partial, target).catch(async (error: unknown) => {
        const reason = errorCode(error) === "EEXIST" ? new Error("it was created by another meanwhile") : error;
        const isThere = await existingAt(partial).catch(() => undefined);
        throw fileError(path, reason, isThere && `; the complete output is in ${partial}`);
      });
      await reporting(path, () => fsyncFolder(dirname(target)));
    },
    abandon: async () => {
      if (settled) {
        return;
      }
      settled = true;
      await handle.close().catch(() => undefined);
      if (!options.keepPartial) {
        await reporting(partial, () => rm(partial, { force: true }));
      }
    },
  };
}

/** Opens a device or named pipe that exists; a missing reader of a pipe is waited for. */
async function openSpecial(path: string): Promise<Destination> {
  const handle = await reporting(path, () => open(path, constants.O_WRONLY | constants.O_APPEND));
  return {
    write: (chunk) => reporting(path, () => handle.writeFile(chunk)),
    finish: () => reporting(path, () => handle.close()),
    abandon: () => handle.close().catch(() => undefined),
  };
}

/** A new file for this output alone, readable by whoever may read the file that it will replace. */
async function createPartial(partial: string, existing: Stats | undefined): Promise<FileHandle> {
  // Appending, so that writes go on where the file ends after it was truncated.
  const handle = await createOwnFile(partial, { append: true }).catch((error: unknown) => {
    if (errorCode(error) === "EEXIST") {
      const cause = "another export is writing it, or one was interrupted";
      throw new FileError(`${partial} exists already: ${cause}. Delete it to start anew.`, partial, error);
    }
    throw error;
  });
  if (existing !== undefined) {
    await reporting(partial, () => handle.chmod(existing.mode & 0o777));
  }
  return handle;
}

async function reopenPartial(partial: string, length: number): Promise<FileHandle> {
  const handle = await openOwnFile(partial, constants.O_RDWR | constants.O_APPEND);
  const { size } = await reporting(partial, () => handle.stat());
  if (size < length) {
    await handle.close();
    throw new FileError(
      `${partial} holds ${size} bytes where its journal says ${length}; delete both files to start anew`,
      partial,
    );
  }
  await reporting(partial, () => handle.truncate(length));
  return handle;
}

/** Errors of file systems that have no hard links, as exFAT and many SMB shares. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Renames only where nothing has the new name, which `rename` itself cannot promise. */
async function renameToFree(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
    await unlink(from);
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error) ?? "")) {
      throw error;
    }
    // An empty file takes the name first.
    await (await createOwnFile(to)).close();
    await rename(from, to);
  }
}

async function existingAt(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") {
      return undefined;
    }
    throw fileError(path, error);
  }
}

/**
 * The regular file that an output to `path` ends up in.
 *
 * @returns undefined for a device or a named pipe, which is written directly
 */
export async function targetFileOf(path: string): Promise<string | undefined> {
  const existing = await existingAt(path);
  return existing !== undefined && !existing.isFile() && !existing.isDirectory() ? undefined : await targetOf(path);
}

/** The file that `path` means: symbolic links are followed, also one to a file that does not exist yet. */
async function targetOf(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch((error: unknown) => {
    const missing = errorCode(error) === "ENOENT";
    throw missing ? new FileError(`${path}: the folder ${dirname(path)} does not exist`, path) : fileError(path, error);
  });
  const candidate = join(folder, basename(path));
  const isLink = await lstat(candidate).then(
    (entry) => entry.isSymbolicLink(),
    () => false,
  );
  return isLink ? targetOf(resolve(folder, await readlink(candidate))) : candidate;
}

async function reporting<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw errorCode(error) === "EPIPE"
      ? new ClosedPipeError(`the reader of ${path} went away`)
      : fileError(path, error);
  }
}
