import { lstat, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY } from "../contract/values/day-arithmetic.ts";
import { parseJsonObject } from "../contract/values/json-object.ts";
import { isRunning, type Owner, thisProcess } from "./process-owner.ts";
import { withFileError } from "./system-error.ts";

const PREFIX = "catalog-scratch-";

/** The file that says which process made the folder. */
const OWNER_FILE = "owner.json";

export interface ScratchFolder extends AsyncDisposable {
  path: string;
}

/**
 * A new folder for files of this process alone, removed by `await using`. Those that killed processes have left in the same
 * place are removed, too.
 *
 * @param parent by default the system's folder for temporary files
 */
export async function scratchFolder(parent = tmpdir()): Promise<ScratchFolder> {
  return await withFileError(parent, async () => {
    const root = await realpath(parent);
    const path = await mkdtemp(join(root, PREFIX));
    const remove = () => rm(path, { recursive: true, force: true });
    try {
      await writeFile(join(path, OWNER_FILE), JSON.stringify(await thisProcess()));
      await removeAbandoned(root, (await lstat(path)).uid);
    } catch (error) {
      await remove();
      throw error;
    }
    return { path, [Symbol.asyncDispose]: remove };
  });
}

/** Removes folders of this user whose process has ended. What cannot be removed stays. */
async function removeAbandoned(root: string, uid: number): Promise<void> {
  for (const name of (await readdir(root)).filter((entry) => entry.startsWith(PREFIX))) {
    const path = join(root, name);
    if (await isAbandoned(path, uid).catch(() => false)) {
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

/** Whether its process has ended; if that cannot be known, whether nothing in it was created or removed for a day. */
async function isAbandoned(path: string, uid: number): Promise<boolean> {
  const folder = await lstat(path);
  if (!folder.isDirectory() || folder.uid !== uid) {
    return false;
  }
  const owner = parseJsonObject(await readFile(join(path, OWNER_FILE), "utf8").catch(() => "")) as Owner | undefined;
  const runs = owner === undefined ? undefined : await isRunning(owner);
  return !(runs ?? Date.now() - folder.mtimeMs < DAY);
}
