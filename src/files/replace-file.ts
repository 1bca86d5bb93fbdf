import { mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Gives the file at `path` a new content at once or not at all, readable by its owner alone; folders that are missing
 * are made for the owner alone, too. Where `path` is a link, the file that it leads to is replaced.
 *
 * @param tag tells this process's temporary file from those of others
 * @throws the error of the system
 */
export async function replaceFile(path: string, content: string, tag: number): Promise<void> {
  const target = await realpath(path).catch(() => path);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const temporary = `${target}.${tag}.tmp`;
  try {
    // What an ended process of the same number left behind may be readable by others.
    await rm(temporary, { force: true });
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}
