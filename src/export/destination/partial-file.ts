import { constants, type Stats } from "node:fs";
import { type FileHandle, link, open, readlink, realpath, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ClosedPipeError, FileError } from "../../contract/errors.ts";
import { fsyncFile, fsyncFolder } from "../../files/fsync.ts";
import { createOwnFile } from "../../files/own-file.ts";
import { errorCode, fileError, ifPresent, withFileError } from "../../files/system-error.ts";
import type { Destination } from "./destination.ts";

export interface FileOptions {
  /** Refuse to replace an existing file. */
  noClobber?: boolean | undefined;
  /** Keep the partial file when the output is abandoned. */
  keepPartial?: boolean | undefined;
  /** Called when the output is complete and on disk, right before it gets its name; an error keeps it from that. */
  beforePlacing?: (() => Promise<void>) | undefined;
}

/**
 * Opens `path` for new content. A regular file is written to `PATH.partial` and renamed by `finish`, so that an existing
 * file stays complete until then. A device or a named pipe is written directly.
 */
export async function openFile(path: string, options: FileOptions = {}): Promise<Destination> {
  const existing = await ifPresent(path, () => stat(path));
  if (existing?.isDirectory() || /(^|\/)$/.test(path)) {
    throw new FileError(`"${path}" names a folder, not a file`, path);
  }
  if (existing !== undefined && !existing.isFile()) {
    return openSpecial(path);
  }
  if (existing !== undefined && options.noClobber) {
    throw new FileError(`${path} already exists, and it must not be replaced`, path);
  }
  const target = await targetOf(path);
  const partial = partialPathOf(target);
  return partialFile(path, target, await createPartial(partial, existing), options);
}

/** The partial file of the output `target`. */
export function partialPathOf(target: string): string {
  return `${target}.partial`;
}

/** @param path as the user wrote it, for messages */
function partialFile(path: string, target: string, handle: FileHandle, options: FileOptions): Destination {
  const partial = partialPathOf(target);
  let settled = false;
  return {
    write: (chunk) => withFileError(path, () => handle.writeFile(chunk)),
    restart: async () => {
      await withFileError(path, () => handle.truncate(0));
      return true;
    },
    finish: async () => {
      await withFileError(path, () => fsyncFile(handle));
      await options.beforePlacing?.();
      await withFileError(path, () => handle.close());
      // From here on the partial file is complete and is never removed, even if it cannot be renamed.
      settled = true;
      const place = options.noClobber ? renameToFree : rename;
      await place(partial, target).catch(async (error: unknown) => {
        const reason = errorCode(error) === "EEXIST" ? new Error("another process has created it") : error;
        const isThere = await stat(partial).catch(() => undefined);
        throw fileError(path, reason, isThere && `; the complete output is in ${partial}`);
      });
      await withFileError(path, () => fsyncFolder(dirname(target)));
    },
    abandon: async () => {
      if (settled) {
        return;
      }
      settled = true;
      await handle.close().catch(() => undefined);
      if (!options.keepPartial) {
        await withFileError(partial, () => rm(partial, { force: true }));
      }
    },
  };
}

/** Opens an existing device or named pipe; waits for the reader of a pipe. */
async function openSpecial(path: string): Promise<Destination> {
  const reporting = (action: () => Promise<void>): Promise<void> =>
    withFileError(path, action).catch((error: unknown) => {
      throw errorCode(error) === "EPIPE" ? new ClosedPipeError(`the reader of ${path} went away`) : error;
    });
  const handle = await withFileError(path, () => open(path, constants.O_WRONLY | constants.O_APPEND));
  let isBegun = false;
  return {
    write: (chunk) => {
      isBegun ||= chunk.length > 0;
      return reporting(() => handle.writeFile(chunk));
    },
    restart: async () => !isBegun,
    finish: () => reporting(() => handle.close()),
    abandon: () => handle.close().catch(() => undefined),
  };
}

/** Creates the file for this output, with the permissions of the file that it will replace. */
async function createPartial(partial: string, existing: Stats | undefined): Promise<FileHandle> {
  // Append mode, so that writes begin at the start again after the file was truncated.
  const handle = await createOwnFile(partial, { append: true }).catch((error: unknown) => {
    if (errorCode(error) === "EEXIST") {
      const cause = "another export is writing it, or one was interrupted";
      throw new FileError(`${partial} already exists: ${cause}. Delete it to start over.`, partial, error);
    }
    throw error;
  });
  await withFileError(partial, async () => {
    // Some network drives refuse to change permissions, even to the same ones.
    if (existing !== undefined && existing.mode !== (await handle.stat()).mode) {
      await handle.chmod(existing.mode & 0o777);
    }
  });
  return handle;
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

/**
 * The regular file that an output to `path` is written to.
 *
 * @returns undefined for a device or a named pipe, which is written directly
 */
export async function targetFileOf(path: string): Promise<string | undefined> {
  const existing = await ifPresent(path, () => stat(path));
  return existing !== undefined && !existing.isFile() && !existing.isDirectory() ? undefined : await targetOf(path);
}

/** Resolves symbolic links in `path`, including one to a file that does not exist yet. */
async function targetOf(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch((error: unknown) => {
    const missing = errorCode(error) === "ENOENT";
    throw missing ? new FileError(`${path}: the folder ${dirname(path)} does not exist`, path) : fileError(path, error);
  });
  const candidate = join(folder, basename(path));
  const linked = await readlink(candidate).catch(() => undefined);
  return linked === undefined ? candidate : targetOf(resolve(folder, linked));
}
