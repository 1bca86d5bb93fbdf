import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { fsyncFolder } from "../files/fsync.ts";
import { type Lock, lock } from "../files/lock.ts";
import { makeFolderPath, makeOwnFolder } from "../files/own-file.ts";
import { errorCode, withFileError } from "../files/system-error.ts";
import type { StorePaths } from "../pull/store/open-store.ts";

/** The tool's own folder inside a folder of rows. Readers skip names that begin with a dot. */
export function ownFolderOf(folder: string): string {
  return join(folder, ".catalog");
}

/** The store of the pages that an unfinished run has read. */
export function storeIn(folder: string, command: "export" | "sync"): StorePaths {
  const path = join(ownFolderOf(folder), command);
  return { lines: `${path}.json`, pages: `${path}.pages` };
}

/** A folder that only this process writes. */
export interface LockedFolder extends AsyncDisposable {
  lock: Lock;
  /** An empty folder for files before they are moved into place. No other run uses it. */
  staging: string;
}

const STAGING = "staging";

/**
 * Makes the tool's own folder with a lock in it. Another run that ends may remove the folder before the lock is there.
 */
async function lockIn(folder: string, own: string, pid: number): Promise<Lock> {
  for (;;) {
    await makeOwnFolder(own);
    // Pages that an interrupted run leaves in it must not be lost with its name.
    await withFileError(folder, () => fsyncFolder(folder));
    try {
      return await lock(folder, join(own, "lock"), pid);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") {
        throw error;
      }
    }
  }
}

/**
 * Locks `folder` for this process, see `lock`. The folder is created if it does not exist.
 *
 * @throws LockedError if another process holds the lock
 * @throws FileError if the folder cannot be written, or `.catalog` in it is a link
 */
export async function lockFolder(folder: string, pid: number): Promise<LockedFolder> {
  const own = ownFolderOf(folder);
  await makeFolderPath(folder);
  const folderLock = await lockIn(folder, own, pid);
  const staging = join(own, `${STAGING}-${randomUUID()}`);
  const unlock = async () => {
    try {
      await rm(staging, { recursive: true, force: true });
    } finally {
      await folderLock.release();
    }
    // It is empty only if nothing is kept.
    await rmdir(own).catch(() => undefined);
  };
  try {
    await withFileError(own, async () => {
      for (const name of (await readdir(own)).filter((name) => name.startsWith(STAGING))) {
        await folderLock.assertLocked();
        await rm(join(own, name), { recursive: true, force: true });
      }
      await mkdir(staging);
    });
    return { lock: folderLock, staging, [Symbol.asyncDispose]: unlock };
  } catch (error) {
    // A process that took the lock may have removed the staging folder; what failed because of that is not the reason.
    await folderLock.assertLocked().finally(unlock);
    throw error;
  }
}
