import { join } from "node:path";
import { FileError } from "../contract/errors.ts";
import { isCalendarDate } from "../contract/filters.ts";
import { isJsonObject, parseJsonObject } from "../contract/values/json-object.ts";
import { lock } from "../files/lock.ts";
import { assertOwnFolder, makeOwnFolder, readOwnFile } from "../files/own-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { ownFolderOf } from "./folder-lock.ts";

/** The newest day that was seen of each retailer, `YYYY-MM-DD`. */
export type SeenDays = Readonly<Record<string, string>>;

/** What `--since last` remembers. Only this process uses it until it is released. */
export interface Bookmark extends AsyncDisposable {
  /** Undefined if it was never set. */
  seen: SeenDays | undefined;
  /** Sets it. It survives a loss of power. */
  set(seen: SeenDays): Promise<void>;
}

/** What a name of a bookmark consists of. Names are parts of file names. */
export const BOOKMARK_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** More than the bookmark of any folder has. */
const MAX_BYTES = 1024 * 1024;

/**
 * Opens a bookmark of a synced folder. Each is a file of its own in the folder's `.catalog`, with a lock of its own: syncs and
 * other bookmarks continue.
 *
 * @param name of the command and of the bookmark (`BOOKMARK_NAME`)
 * @throws LockedError if another process uses it
 * @throws FileError if the folder cannot be written, or the bookmark is damaged
 */
export async function openBookmark(
  folder: string,
  { command, name }: { command: string; name: string },
  pid: number,
): Promise<Bookmark> {
  const own = ownFolderOf(folder);
  // Earlier versions called bookmarks looks.
  const bookmarks = join(own, "looks");
  await assertOwnFolder(own);
  await makeOwnFolder(bookmarks);
  const path = join(bookmarks, `${command}-${name}.json`);
  const bookmarkLock = await lock(path, `${path}.lock`, pid);
  try {
    return {
      seen: await readBookmark(path),
      set: (seen) =>
        replaceFile(path, `${JSON.stringify({ version: 2, seen })}\n`, { beforePlacing: bookmarkLock.assertLocked }),
      [Symbol.asyncDispose]: () => bookmarkLock.release(),
    };
  } catch (error) {
    await bookmarkLock.release();
    throw error;
  }
}

async function readBookmark(path: string): Promise<SeenDays | undefined> {
  const text = await readOwnFile(path, MAX_BYTES);
  if (text === undefined) {
    return undefined;
  }
  const { version, seen } = parseJsonObject(text) ?? {};
  const isDay = (day: unknown) => typeof day === "string" && isCalendarDate(day);
  if (version === 2 && isJsonObject(seen) && Object.values(seen).every(isDay)) {
    return seen as Record<string, string>;
  }
  throw new FileError(`${path} is damaged; remove it, and the next --since last is the first one`, path);
}
