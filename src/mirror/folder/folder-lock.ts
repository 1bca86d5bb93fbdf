import { join } from "node:path";
import { type Lock, lock } from "../../files/lock.ts";
import { makeFolder, makeOwnFolder } from "../../files/own-file.ts";

/** The folder in which the tool keeps what it needs about a folder of rows; readers skip names with a dot. */
export function ownFolderOf(folder: string): string {
  return join(folder, ".catalog");
}

/**
 * Makes `folder` this process's own, see `lock`; it is created if there is none.
 *
 * @throws LockedError if another process holds it
 * @throws FileError if the folder cannot be written, or `.catalog` in it is a link
 */
export async function lockFolder(folder: string, pid: number): Promise<Lock> {
  const own = ownFolderOf(folder);
  await makeFolder(folder);
  await makeOwnFolder(own);
  return await lock(folder, join(own, "lock"), pid);
}
