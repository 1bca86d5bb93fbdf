import { join } from "node:path";
import { FileError } from "../contract/errors.ts";
import { isCalendarDate } from "../contract/filters.ts";
import { parseJsonObject } from "../contract/values/json-object.ts";
import { lock } from "../files/lock.ts";
import { assertOwnFolder, makeOwnFolder, readOwnFile } from "../files/own-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { ownFolderOf } from "./folder-lock.ts";

/** A look at a folder, which only this process takes until it is released. */
export interface Look {
  /**
   * The newest day that was seen when the look was last taken, `YYYY-MM-DD`; undefined if it never was.
   *
   * @throws FileError if the look is damaged
   */
  seen(): Promise<string | undefined>;
  /** Remembers a newer day. It survives a loss of power. */
  remember(day: string): Promise<void>;
}

/** What a name of a look consists of. Names are parts of file names. */
export const LOOK_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** More than a look takes. */
const LONGEST_LOOK = 4096;

/**
 * Does `work` with a look at a synced folder. Each look is a file of its own in the folder's `.catalog`, with a lock of its
 * own: syncs and other looks go on.
 *
 * @param name of the command and of the look (`LOOK_NAME`)
 * @throws LockedError if another process takes the same look
 * @throws FileError before `work` is called if the folder cannot be written
 */
export async function withLook<T>(
  folder: string,
  name: { command: string; look: string },
  pid: number,
  work: (look: Look) => Promise<T>,
): Promise<T> {
  const own = ownFolderOf(folder);
  const looks = join(own, "looks");
  await assertOwnFolder(own);
  await makeOwnFolder(looks);
  const path = join(looks, `${name.command}-${name.look}.json`);
  const held = await lock(path, `${path}.lock`, pid);
  try {
    return await work({
      seen: () => readLook(path),
      remember: async (day) => {
        await replaceFile(path, `${JSON.stringify({ version: 1, seen: day })}\n`, { beforePlacing: held.assertHeld });
      },
    });
  } finally {
    await held.release();
  }
}

async function readLook(path: string): Promise<string | undefined> {
  const text = await readOwnFile(path, LONGEST_LOOK);
  if (text === undefined) {
    return undefined;
  }
  const { version, seen } = parseJsonObject(text) ?? {};
  if (version !== 1 || typeof seen !== "string" || !isCalendarDate(seen)) {
    throw new FileError(`${path} is damaged; remove it, and the next look is the first one`, path);
  }
  return seen;
}
