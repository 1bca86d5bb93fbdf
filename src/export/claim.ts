import { basename } from "node:path";
import { FileError, LockedError } from "../errors.ts";
import { type Lock, lockOutput } from "../files/lock.ts";
import { LONGEST_NAME, ownFileAt, removeOwnFile } from "../files/own-file.ts";
import { partialPathOf, targetFileOf } from "../output/destination/file.ts";
import { type OpenStoreOptions, openStore } from "../pull/store/open-store.ts";

export interface ClaimOptions extends Omit<OpenStoreOptions, "lock"> {
  pid: number;
}

/** An output file that only this process writes, and the store of its pages. */
export type Claim = Awaited<ReturnType<typeof claim>>;

/** The longest suffix of the files of an unfinished output. */
const PAGES_SUFFIX = ".partial.pages";

/** Earlier versions kept pages in this file. */
const SPOOL_SUFFIX = ".partial.spool";

/**
 * Claims the output `path`, and opens the store beside it.
 *
 * @returns undefined if `path` is not a regular file, so that nothing can be resumed
 * @throws LockedError if another run is writing it
 * @throws FileError if a name next to the output belongs to a file that is not of this tool
 */
export async function claimOutput(path: string, options: ClaimOptions): Promise<Claim | undefined> {
  const target = await targetFileOf(path);
  if (target === undefined) {
    return undefined;
  }
  const longest = LONGEST_NAME - PAGES_SUFFIX.length;
  if (Buffer.byteLength(basename(target)) > longest) {
    throw new FileError(
      `${path}: the name is too long; it may have at most ${longest} bytes, because the export also needs names like NAME${PAGES_SUFFIX}`,
      path,
    );
  }
  const lock = await lockOutput(target, options.pid);
  try {
    return await claim(target, lock, options);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function claim(target: string, lock: Lock, options: ClaimOptions) {
  const partial = partialPathOf(target);
  const paths = { lines: `${target}.partial.json`, pages: `${target}${PAGES_SUFFIX}` };
  await ownFileAt(partial);
  const store = await openStore(paths, { ...options, lock });
  await removeOwnFile(partial);
  await removeOwnFile(`${target}${SPOOL_SUFFIX}`);
  return {
    target,
    store: store.pages,
    resumedFrom: store.resumedFrom,
    notes: store.notes,
    /** Call it right before something is placed. @throws LockedError if another process has the output */
    assertHeld: lock.assertHeld,
    /** The output is in its place, and so is everything that belongs to it. */
    done: async (): Promise<void> => {
      try {
        await store.remove().catch(unlessLocked);
      } finally {
        await lock.release();
      }
    },
    /**
     * Stops writing the output. Resolves to whether a later run can go on; otherwise everything is removed.
     *
     * @throws FileError if the pages of a later run would not survive a loss of power
     */
    leave: async (): Promise<boolean> => {
      try {
        if (await store.leave()) {
          return true;
        }
        await removeOwnFile(partial);
      } catch (error) {
        unlessLocked(error);
      } finally {
        await lock.release();
      }
      return false;
    },
  };
}

/** The files are another process's by now. */
function unlessLocked(error: unknown): void {
  if (!(error instanceof LockedError)) {
    throw error;
  }
}
