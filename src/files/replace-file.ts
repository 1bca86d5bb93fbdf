import { realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { FileError } from "../contract/errors.ts";
import { fsyncFile, fsyncFolder } from "./fsync.ts";
import { createOwnFile, makeFolderPath, removeOwnFile } from "./own-file.ts";
import { fileError } from "./system-error.ts";

/**
 * Replaces the content of the file at `path` in one step: at any time the file is either the old or the new one, whole.
 * Once the promise resolves, the new one survives a loss of power. Until then the content is in `PATH.new`, or
 * `PATH.TAG.new`. A link at `path` is replaced, not followed.
 *
 * @param mode permissions of the new file
 * @param beforePlacing called when the new file is complete and on disk; if it throws, the new file is not renamed
 * @param tag distinguishes this process's temporary file from others, if several processes may write without a lock
 * @throws FileError if it cannot be written
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode = 0o666, tag, beforePlacing }: { mode?: number; tag?: number; beforePlacing?: () => Promise<void> } = {},
) {
  const next = tag === undefined ? `${path}.new` : `${path}.${tag}.new`;
  await removeOwnFile(next);
  const handle = await createOwnFile(next, { mode });
  const orRemoved = async (action: () => Promise<void>) => {
    try {
      await action();
    } catch (error) {
      await rm(next, { force: true }).catch(() => undefined);
      throw fileError(path, error);
    }
  };
  await orRemoved(async () => {
    try {
      await handle.writeFile(content);
      await fsyncFile(handle);
    } finally {
      await handle.close();
    }
  });
  // If this throws, the new file stays: it may already be the one of another process.
  await beforePlacing?.();
  await orRemoved(async () => {
    await rename(next, path);
    await fsyncFolder(dirname(path));
  });
}

/**
 * Replaces a file that only its owner may read. Missing folders are created for the owner alone too. If `path` is a link,
 * its target is replaced.
 *
 * @throws FileError if it cannot be written
 */
export async function replacePrivateFile(path: string, content: string, tag: number): Promise<void> {
  await replaceFile(await privateTarget(path), content, { mode: 0o600, tag });
}

/**
 * Where `replacePrivateFile` writes, in a folder that exists.
 *
 * @throws FileError if the folder cannot be made, or something other than a file is there, such as /dev/null
 */
export async function privateTarget(path: string): Promise<string> {
  const target = await realpath(path).catch(() => undefined);
  if (target === undefined) {
    await makeFolderPath(dirname(path), 0o700);
    return path;
  }
  if (!(await stat(target)).isFile()) {
    throw new FileError(`${target} is not a regular file`, target);
  }
  return target;
}
