import { basename } from "node:path";
import { FileError } from "../contract/errors.ts";
import { lockOutput } from "../files/lock.ts";
import { LONGEST_NAME } from "../files/own-file.ts";
import { type OpenStore, type StoreOptions, withStore } from "../pull/store/open-store.ts";
import { partialPathOf, targetFileOf } from "./destination/partial-file.ts";

/** An output file that only this process writes, and the store of its pages. */
export interface Claim extends OpenStore {
  target: string;
  /** Call it right before something is placed. @throws LockedError if another process has the output */
  assertHeld(): Promise<void>;
}

/** The longest suffix of the files of an unfinished output. */
const PAGES_SUFFIX = ".partial.pages";

/** Earlier versions kept pages in this file. */
const SPOOL_SUFFIX = ".partial.spool";

/**
 * Does `work` while only this process writes the output `path`, with the store beside it.
 *
 * @param work gets undefined if `path` is not a regular file, so that nothing can be resumed
 * @throws LockedError if another run is writing it
 * @throws FileError if a name next to the output belongs to a file that is not of this tool
 */
export async function withClaim<T>(
  path: string,
  pid: number,
  options: Omit<StoreOptions, "lock">,
  work: (claim: Claim | undefined) => Promise<T>,
): Promise<T> {
  const target = await targetFileOf(path);
  if (target === undefined) {
    return await work(undefined);
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
    const derived = [partialPathOf(target), `${target}${SPOOL_SUFFIX}`];
    const paths = { lines: `${target}.partial.json`, pages: `${target}${PAGES_SUFFIX}`, derived };
    return await withStore(paths, { ...options, lock }, (store) => {
      return work({ ...store, target, assertHeld: lock.assertHeld });
    });
  } finally {
    await lock.release();
  }
}
