import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FileError } from "../../errors.ts";
import { isRunning, type Owner, ownerOf } from "../owner.ts";

/** The folder in which the tool keeps what it needs about a folder of rows; readers skip names with a dot. */
export function ownFolderOf(folder: string): string {
  return join(folder, ".catalog");
}

/**
 * Makes `folder` this process's own until `release`. The lock of a process that has ended, however it did, does not
 * count.
 *
 * @throws FileError where another process holds it, or the folder cannot be written
 */
export async function lockFolder(folder: string, pid: number): Promise<{ release: () => Promise<void> }> {
  const own = ownFolderOf(folder);
  const path = join(own, "lock");
  const mine = join(own, `lock.${pid}`);
  try {
    await mkdir(own, { recursive: true });
    await writeFile(mine, JSON.stringify(await ownerOf(pid)));
  } catch (error) {
    throw new FileError(`${folder} cannot be written: ${(error as Error).message}`, folder, error);
  }
  try {
    await acquire(path, mine, folder);
  } finally {
    await rm(mine, { force: true });
  }
  return { release: () => rm(path, { force: true }) };
}

/** Links are created whole or not at all, so that no lock is ever seen half written. */
async function acquire(path: string, mine: string, folder: string): Promise<void> {
  while (!(await linked(mine, path))) {
    const text = await readFile(path, "utf8").catch(() => undefined);
    const owner = text === undefined ? undefined : (JSON.parse(text) as Owner);
    if (owner !== undefined && (await isRunning(owner))) {
      throw new FileError(`${folder} is in use by process ${owner.pid} on ${owner.host}`, folder);
    }
    if (text !== undefined) {
      await setAside(path, `${mine}.stale`, text);
    }
  }
}

async function linked(mine: string, path: string): Promise<boolean> {
  try {
    await link(mine, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      return false;
    }
    throw error;
  }
}

/** Takes a dead process's lock away; one that a living process has put in its place meanwhile is put back. */
async function setAside(path: string, aside: string, stale: string): Promise<void> {
  await rename(path, aside).catch(() => undefined);
  const moved = await readFile(aside, "utf8").catch(() => stale);
  if (moved !== stale) {
    await linked(aside, path);
  }
  await rm(aside, { force: true });
}
