import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fsyncFolder } from "./fsync-folder.ts";
import { fileError } from "./system-error.ts";

/**
 * Gives the file at `path` a new content so that at any instant the old or the new one is there, whole; once it
 * resolves, the new one survives a loss of power. What it is written to until then, `PATH.new`, is this process's own.
 *
 * @throws FileError where it cannot be written
 */
export async function replaceJson(path: string, value: object): Promise<void> {
  const next = `${path}.new`;
  try {
    const handle = await open(next, "w");
    try {
      await handle.writeFile(`${JSON.stringify(value)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(next, path);
    await fsyncFolder(dirname(path));
  } catch (error) {
    await rm(next, { force: true }).catch(() => undefined);
    throw fileError(path, error);
  }
}
