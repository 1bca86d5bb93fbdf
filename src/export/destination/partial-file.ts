import { constants, openSync, type Stats } from "node:fs";
import { type FileHandle, link, open, readlink, realpath, rename, rm, stat, unlink } from "node:fs/promises";
import { Socket } from "node:net";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { FileError } from "../../contract/errors.ts";
import { descriptorOf } from "../../files/descriptor.ts";
import { fsyncFile, fsyncFolder } from "../../files/fsync.ts";
import { lockOutput } from "../../files/lock.ts";
import { createOwnFile, removeOwnFile } from "../../files/own-file.ts";
import { errorCode, fileError, ifPresent, withFileError } from "../../files/system-error.ts";
import { scratchFilesOf } from "../formats/encoder.ts";
import type { Destination, LockedFile } from "./destination.ts";
import { writeToStream } from "./stdout.ts";

export interface FileOptions {
  /** Refuse to replace an existing file. */
  noClobber?: boolean | undefined;
  /** Of this process, for the lock. */
  pid: number;
  /** Ends the wait for the reader of a named pipe. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens `path` for new content. A regular file is locked, written to `PATH.partial` and renamed by `finish`, so that an
 * existing file stays complete until then; what a killed run has left there is replaced. A device, a named pipe or a file
 * named by its descriptor, such as `/dev/fd/3`, is written directly.
 *
 * @throws LockedError if another run is writing it
 */
export async function openFile(path: string, { noClobber, pid, signal }: FileOptions): Promise<Destination> {
  const existing = await ifPresent(path, () => stat(path));
  if (existing?.isDirectory() || /(^|\/)$/.test(path)) {
    throw new FileError(`"${path}" names a folder, not a file`, path);
  }
  if (existing?.isFIFO()) {
    return await openPipe(path, signal);
  }
  // The file that the shell has opened as `/dev/stderr` or `/dev/fd/3` is not replaced.
  if (existing !== undefined && (!existing.isFile() || descriptorOf(path) !== undefined)) {
    return await openDevice(path);
  }
  if (existing !== undefined && noClobber) {
    throw new FileError(`${path} already exists, and --no-clobber keeps it`, path);
  }
  const target = await targetOf(path);
  const lock = await lockOutput(target, pid);
  try {
    const handle = await createPartial(partialPathOf(target), existing);
    return partialFile(path, handle, { path: target, lock }, noClobber ? renameToFree : rename);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** The partial file of the output `target`. */
export function partialPathOf(target: string): string {
  return `${target}.partial`;
}

/**
 * @param path as the user wrote it, for messages
 * @param place gives the complete file its name
 */
function partialFile(
  path: string,
  handle: FileHandle,
  file: LockedFile,
  place: (from: string, to: string) => Promise<void>,
): Destination {
  const { path: target, lock } = file;
  const partial = partialPathOf(target);
  let settled = false;
  let disposed = false;
  const removeUnfinished = async () => {
    await lock.assertLocked();
    await rm(partial, { force: true });
    await fsyncFolder(dirname(target));
  };
  return {
    file,
    write: (chunk) => withFileError(path, () => handle.writeFile(chunk)),
    finish: async () => {
      await withFileError(path, () => fsyncFile(handle));
      await lock.assertLocked();
      await withFileError(path, () => handle.close());
      // From here on the partial file is complete and is never removed, even if it cannot be renamed.
      settled = true;
      await place(partial, target).catch(async (error: unknown) => {
        const reason = errorCode(error) === "EEXIST" ? new Error("another process has created it") : error;
        const isThere = await stat(partial).catch(() => undefined);
        throw fileError(path, reason, isThere && `; the complete output is in ${partial}`);
      });
      await withFileError(path, () => fsyncFolder(dirname(target)));
    },
    // Errors are ignored: the next run replaces what is left, and they would hide the reason why this one ends.
    [Symbol.asyncDispose]: async () => {
      if (disposed) {
        return;
      }
      disposed = true;
      if (!settled) {
        await handle.close().catch(() => undefined);
        await removeUnfinished().catch(() => undefined);
      }
      await lock.release();
    },
  };
}

/** Opens an existing device, or a file that is already open, to append to it. */
async function openDevice(path: string): Promise<Destination> {
  const handle = await withFileError(path, () => open(path, constants.O_WRONLY | constants.O_APPEND));
  return {
    write: (chunk) => withFileError(path, () => handle.writeFile(chunk)),
    finish: async () => {},
    [Symbol.asyncDispose]: () => handle.close().catch(() => undefined),
  };
}

/** Milliseconds between two checks for a reader of a named pipe. */
const READER_PAUSE = 50;

/**
 * Opens a named pipe, and waits for its reader. Neither the wait nor a write blocks a thread, which no signal would end.
 */
async function openPipe(path: string, signal: AbortSignal | undefined): Promise<Destination> {
  const flags = constants.O_WRONLY | constants.O_NONBLOCK;
  for (;;) {
    try {
      const fd = openSync(path, flags);
      const stream = new Socket({ fd, readable: false, writable: true });
      const { write, finish } = writeToStream(stream, path, { signal });
      return {
        write,
        finish: async () => {
          const closed = new Promise((resolve) => stream.once("close", resolve));
          stream.end();
          await closed;
          await finish();
        },
        [Symbol.asyncDispose]: async () => void stream.destroy(),
      };
    } catch (error) {
      if (errorCode(error) !== "ENXIO") {
        throw fileError(path, error);
      }
      await delay(READER_PAUSE, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}

/** Creates the file for this output, with the permissions of the file that it will replace. */
async function createPartial(partial: string, existing: Stats | undefined): Promise<FileHandle> {
  for (const leftover of [partial, ...scratchFilesOf(partial)]) {
    await removeOwnFile(leftover);
  }
  const handle = await createOwnFile(partial);
  try {
    // Some network drives refuse to change permissions, even to the same ones.
    if (existing !== undefined && existing.mode !== (await handle.stat()).mode) {
      await handle.chmod(existing.mode & 0o777);
    }
    return handle;
  } catch (error) {
    await handle.close();
    await rm(partial, { force: true });
    throw fileError(partial, error);
  }
}

/** Errors of file systems without hard links, such as exFAT and many SMB shares. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Renames a file, but fails if the new name exists; `rename` alone would replace it. */
async function renameToFree(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
    await unlink(from);
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error) ?? "")) {
      throw error;
    }
    // An empty file claims the name first.
    await (await createOwnFile(to)).close();
    await rename(from, to);
  }
}

/** The file that `openFile` writes for a path: the target, if the path is a link. */
export async function fileBehind(path: string): Promise<string> {
  const isLink = await readlink(path).then(
    () => true,
    () => false,
  );
  // `openFile` reports a target that cannot be written.
  return isLink ? await targetOf(path).catch(() => path) : path;
}

/** Resolves symbolic links in `path`, including one to a file that does not exist yet; refuses links to each other. */
async function targetOf(path: string): Promise<string> {
  const target = await ifPresent(path, () => realpath(path));
  if (target !== undefined) {
    return target;
  }
  const folder = await realpath(dirname(path)).catch((error: unknown) => {
    const missing = errorCode(error) === "ENOENT";
    throw missing ? new FileError(`${path}: the folder ${dirname(path)} does not exist`, path) : fileError(path, error);
  });
  const candidate = join(folder, basename(path));
  const linked = await readlink(candidate).catch(() => undefined);
  return linked === undefined ? candidate : targetOf(resolve(folder, linked));
}
