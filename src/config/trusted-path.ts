import type { Stats } from "node:fs";
import { lstat, readlink, stat } from "node:fs/promises";
import { parse, resolve, sep } from "node:path";
import { FileError } from "../contract/errors.ts";
import { quoteCommand } from "../contract/values/quote-command.ts";
import type { Environment } from "./environment.ts";

/** Maximum symbolic links in one path, as in Linux. */
const MAX_LINKS = 40;

/** In a folder with this bit, such as /tmp, only the owner of a file can remove or rename it. */
const STICKY = 0o1000;

/**
 * Checks whether other users of the machine can change what is read at `path`. As ssh does for its files, it requires that
 * the file, its parent folders and symbolic links on the way belong to this user or root, and that neither group nor others
 * can write to them.
 *
 * @param user the id of this user; undefined on Windows
 * @returns sentences that say what is wrong and what to do; undefined if the path is safe, and always on Windows, where file
 * modes do not tell
 * @throws FileError if a part of the path cannot be read
 */
export async function dangerOf(path: string, user: number | undefined): Promise<string | undefined> {
  if (user === undefined) {
    return undefined;
  }
  const { root } = parse(resolve(path));
  let left = partsOf(resolve(path));
  let current = root;
  for (let links = 0; ; ) {
    const entry = await lstat(current).catch((error: Error) => {
      throw new FileError(`${current} cannot be checked: ${error.message}`, current, error);
    });
    const danger = dangerOfEntry(current, entry, user);
    if (danger !== undefined) {
      return danger;
    }
    if (entry.isSymbolicLink()) {
      links += 1;
      if (links > MAX_LINKS) {
        throw new FileError(`${path} cannot be checked: too many symbolic links`, path);
      }
      left = [...partsOf(resolve(current, "..", await readlink(current))), ...left];
      current = root;
    }
    const [next, ...rest] = left;
    if (next === undefined) {
      return undefined;
    }
    left = rest;
    current = resolve(current, next);
  }
}

function partsOf(path: string): string[] {
  return path.split(sep).filter(Boolean);
}

function dangerOfEntry(path: string, entry: Stats, user: number): string | undefined {
  if (entry.uid !== user && entry.uid !== 0) {
    return `${path} belongs to another user of this machine (uid ${entry.uid}). Use a configuration file of your own, in a folder of your own: CATALOG_CONFIG names it.`;
  }
  const isSafe = entry.isSymbolicLink() || (entry.isDirectory() && (entry.mode & STICKY) !== 0);
  if (isSafe || (entry.mode & 0o022) === 0) {
    return undefined;
  }
  const [what, remedy] = entry.isDirectory() ? ["the folder ", "go-w"] : ["", "600"];
  return `other users of this machine can change ${what}${path}. Check the configuration file, then run \`${quoteCommand(["chmod", remedy, path])}\`.`;
}

/** What other users of the machine can do with a file. Always nothing on Windows, where file modes say nothing about access. */
export async function rightsOfOthers(
  path: string,
  { platform }: Pick<Environment, "platform">,
): Promise<{ read: boolean; write: boolean }> {
  const mode = platform === "win32" ? 0 : (await stat(path)).mode;
  return { read: (mode & 0o044) !== 0, write: (mode & 0o022) !== 0 };
}
