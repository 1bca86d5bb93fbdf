import { join } from "node:path";
import { type Lock, lock } from "../../files/lock.ts";
import { makeFolderPath, makeOwnFolder } from "../../files/own-file.ts";

/** The tool's own folder inside a folder of rows. Readers skip names that begin with a dot. */
export function ownFolderOf(folder: string): string {
  return join(folder, ".catalog");
}

/**
 * Locks `folder` for this process, see `lock`. It is created if it does not exist.
 *
 * @throws LockedError if another process holds it
 * @throws FileError if the folder cannot be written, or `.catalog` in it is a link
 */
export async function lockFolder(folder: string, pid: number): Promise<Lock> {
  const own = ownFolderOf(folder);
  await makeFolderPath(folder);
  await makeOwnFolder(own);
  return await lock(folder, join(own, "lock"), pid);
}
