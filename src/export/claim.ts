import { basename } from "node:path";
import { FileError } from "../contract/errors.ts";
import { type Lock, lockOutput } from "../files/lock.ts";
import { LONGEST_NAME } from "../files/own-file.ts";
import { type OpenStore, openPageStore, type StoreOptions } from "../pull/store/open-store.ts";
import { partialPathOf, targetFileOf } from "./destination/partial-file.ts";

/** An output file that only this process writes, and the store of its pages. */
export interface Claim extends AsyncDisposable {
  target: string;
  lock: Lock;
  store: OpenStore;
}

/** The longest suffix of the files of an unfinished output. */
const PAGES_SUFFIX = ".partial.pages";

/** Earlier versions kept pages in this file. */
const SPOOL_SUFFIX = ".partial.spool";

/**
 * Locks the output `path` for this process, and opens the store beside it.
 *
 * @returns undefined if `path` is not a regular file, so that nothing can be resumed
 * @throws LockedError if another run is writing it
 * @throws FileError if a name next to the output belongs to a file that is not of this tool
 */
export async function claimOutput(
  path: string,
  pid: number,
  options: Omit<StoreOptions, "lock">,
): Promise<Claim | undefined> {
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
  const lock = await lockOutput(target, pid);
  try {
    const partial = partialPathOf(target);
    const derived = [partial, `${partial}.rows`, `${partial}.copy`, `${target}${SPOOL_SUFFIX}`];
    const paths = { lines: `${target}.partial.json`, pages: `${target}${PAGES_SUFFIX}`, derived };
    const store = await openPageStore(paths, { ...options, lock });
    const release = async () => {
      await store[Symbol.asyncDispose]();
      await lock.release();
    };
    return { target, lock, store, [Symbol.asyncDispose]: release };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
