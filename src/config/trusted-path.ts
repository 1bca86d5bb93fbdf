import type { Stats } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import { parse, resolve, sep } from "node:path";
import { FileError } from "../contract/errors.ts";

/** Most links in one path, as in Linux. */
const MOST_LINKS = 40;

/** In a folder with this bit, such as /tmp, only the owner of a file can remove or rename it. */
const STICKY = 0o1000;

/**
 * How another user of the machine could change what is read at `path`: the file, the folders that lead to it and the links
 * on the way must belong to this user or to root, and neither the group nor others may write them. ssh asks the same of
 * its files.
 *
 * @param user the id of this user; undefined on Windows
 * @returns sentences for people, which say what to do; undefined if nobody else can change it, and always on Windows,
 * whose file modes do not show it
 * @throws FileError if a part of the path cannot be looked at
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
      throw new FileError(`${current} cannot be looked at: ${error.message}`, current, error);
    });
    const danger = dangerOfEntry(current, entry, user);
    if (danger !== undefined) {
      return danger;
    }
    if (entry.isSymbolicLink()) {
      links += 1;
      if (links > MOST_LINKS) {
        throw new FileError(`${path} cannot be looked at: too many symbolic links`, path);
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
  return `other users of this machine can change ${what}${path}. Check the configuration file, then run \`chmod ${remedy} ${path}\`.`;
}
