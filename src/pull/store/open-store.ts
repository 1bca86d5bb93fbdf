import { dirname } from "node:path";
import { LockedError } from "../../contract/errors.ts";
import { fsyncFolder } from "../../files/fsync.ts";
import type { Lock } from "../../files/lock.ts";
import { ownFileAt, removeOwnFile } from "../../files/own-file.ts";
import { openStoredBytes, type StoredBytes, temporaryBytes } from "../../files/stored-bytes.ts";
import { withFileError } from "../../files/system-error.ts";
import { countPages, createPageStore, type PageStore } from "./page-store.ts";
import {
  isSameSet,
  lineOf,
  readStoreLines,
  STORE_VERSION,
  type StoreContent,
  type StoreHead,
  type StoreLine,
} from "./store-lines.ts";

/** The files of a store. */
export interface StorePaths {
  /** One line a page, see `StoreLine`. */
  lines: string;
  /** The rows of all pages, as NDJSON. */
  pages: string;
}

/** Pages of an earlier run that this one would throw away. Those of another version of the tool cannot be read. */
export type Leftover =
  | { reason: "other version" }
  | { reason: "not resumed" | "other service" | "other filters"; pages: number; head: StoreHead };

export interface StoreOptions {
  head: StoreHead;
  /** Rows of a page. A run does not continue with a few pages of another size. */
  pageSize: number;
  /** `careful` starts over if at most `FEW_PAGES` pages are lost, and otherwise calls `refuse`. */
  mode: "resume" | "fresh" | "careful";
  /** Held by this process as long as the store is open. */
  lock: Lock;
  tool: string;
  /** ISO 8601. */
  startedAt: string;
  /** Makes the error for pages that must not be thrown away without asking. */
  refuse: (leftover: Leftover) => Error;
  /** Receives a sentence about lost pages of an earlier run. */
  onNote: (note: string) => void;
  /** Called if this run fails and leaves pages. @param lost why they would not survive a loss of power */
  onLeft: (lost: Error | undefined) => void;
}

/** A store that is disposed of when its pull ends. */
export interface OpenStore extends AsyncDisposable {
  pages: PageStore;
  /** When the first run that filled it began; undefined for a new store. */
  resumedFrom: string | undefined;
  /** Removes the store, whose pages are no longer needed. */
  remove(): Promise<void>;
}

/** A store that ends with this process. */
export function temporaryStore(): OpenStore {
  const bytes = temporaryBytes();
  return {
    pages: createPageStore(bytes),
    resumedFrom: undefined,
    remove: async () => {},
    [Symbol.asyncDispose]: bytes.close,
  };
}

/** Milliseconds between two syncs to disk. */
const SYNC_INTERVAL = 1_000;

/** Maximum number of pages that are thrown away without asking. */
export const FEW_PAGES = 5;

/**
 * Opens the store at these paths, or a new one, with which a later process can continue. When it is disposed of, its pages are
 * synced and stay; without a page, nothing does.
 *
 * A page of an earlier process is checked by its digest when it is read, and each line by its checksum; what is damaged is
 * read from the service again. Pages reach the disk before the lines that describe them, about once a second. A page or line
 * is only written while this process holds the lock.
 *
 * @throws LockedError if another process has the lock
 * @throws FileError if a file of that name is not of this tool
 */
export async function openPageStore(paths: StorePaths, options: StoreOptions): Promise<OpenStore> {
  const { head, tool, startedAt, lock } = options;
  await ownFileAt(paths.pages);
  const earlier = options.mode === "fresh" ? undefined : await earlierPages(paths, options);
  await lock.assertLocked();
  if (earlier === undefined) {
    // Not synced here but together with the new files, because the lock could be lost between two syncs.
    await removeFiles(paths);
  }
  const extents = [...(earlier?.pages.values() ?? [])].flat().map(({ extent }) => extent.at + extent.length);
  const end = extents.reduce((last, one) => Math.max(last, one), 0);
  const lines = await openStoredBytes(paths.lines, earlier?.length ?? 0, lock.assertLocked);
  const bytes = await openPages().catch(async (error: unknown) => {
    await lines.close();
    if (earlier === undefined) {
      // An error here would hide the reason why the run ends.
      await removeFiles(paths).catch(() => undefined);
    }
    throw error;
  });
  let timer: NodeJS.Timeout | undefined;
  let syncing = Promise.resolve();
  /** Once it has failed, it is not done again. */
  const sync = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    syncing = syncing.then(bytes.sync).then(lines.sync);
    syncing.catch(() => undefined);
    return syncing;
  };
  const record = async (line: StoreLine) => {
    // A line written between the sync of the pages and that of the lines would be synced before its page.
    await syncing;
    await lines.append(lineOf(line));
    timer ??= setTimeout(sync, SYNC_INTERVAL).unref();
  };
  const close = async () => {
    await bytes.close();
    await lines.close();
  };
  const pages = createPageStore(bytes, {
    pages: earlier?.pages ?? new Map(),
    cuts: earlier?.head.cuts,
    begin: (cuts) => record({ kind: "head", version: STORE_VERSION, tool, started_at: startedAt, ...head, cuts }),
    record,
  });
  let isRemoved = false;
  const remove = async () => {
    isRemoved = true;
    clearTimeout(timer);
    await syncing.catch(() => undefined);
    await close();
    try {
      await lock.assertLocked();
      await removeStore(paths);
    } catch (error) {
      // The files are another process's by now.
      if (!(error instanceof LockedError)) {
        throw error;
      }
    }
  };
  const leave = async (): Promise<void> => {
    if (isRemoved) {
      return;
    }
    if (pages.size() === 0) {
      return await remove();
    }
    await sync().finally(close);
    // The folder may have been removed.
    if ([await ownFileAt(paths.lines), await ownFileAt(paths.pages)].every((file) => file !== undefined)) {
      options.onLeft(undefined);
    }
  };
  return {
    pages,
    resumedFrom: earlier?.head.started_at,
    remove,
    // An error here would hide the reason why the run ends.
    [Symbol.asyncDispose]: () =>
      leave().catch((lost: Error) => (lost instanceof LockedError ? undefined : options.onLeft(lost))),
  };

  /** Opens the file of the pages, and makes both files survive a loss of power. */
  async function openPages(): Promise<StoredBytes> {
    const opened = await openStoredBytes(paths.pages, end, lock.assertLocked);
    try {
      await syncFolderOf(paths);
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }
}

/** Removes the files of a store that is not open. Once it resolves, they are gone even after a loss of power. */
export async function removeStore(paths: StorePaths): Promise<void> {
  await removeFiles(paths);
  await syncFolderOf(paths);
}

/** Removes the lines first: pages without lines are ignored, but lines without pages would look like damaged pages. */
async function removeFiles({ lines, pages }: StorePaths): Promise<void> {
  await removeOwnFile(lines);
  await removeOwnFile(pages);
}

async function syncFolderOf({ lines }: StorePaths): Promise<void> {
  await withFileError(dirname(lines), () => fsyncFolder(dirname(lines)));
}

/**
 * The pages of an earlier process that this one continues with; undefined to start over. Changes nothing.
 *
 * @throws what `refuse` makes
 */
export async function earlierPages(
  { lines }: Pick<StorePaths, "lines">,
  { head: wanted, mode, pageSize, refuse, onNote }: Omit<StoreOptions, "lock">,
): Promise<StoreContent | undefined> {
  const content = await readStoreLines(lines);
  if (content === "other version") {
    throw refuse({ reason: content });
  }
  if (content === "damaged") {
    onNote(`${lines} is cut or damaged at its beginning; what an interrupted run has read is read again`);
    return undefined;
  }
  if (content === undefined) {
    return undefined;
  }
  const { head, isDamaged } = content;
  const pages = countPages(content.pages);
  const reason =
    head.service !== wanted.service
      ? "other service"
      : !isSameSet(head.filters, wanted.filters)
        ? "other filters"
        : mode !== "resume" && "not resumed";
  if (reason && pages > FEW_PAGES) {
    throw refuse({ reason, pages, head });
  }
  if (!reason && (pages > FEW_PAGES || head.cuts.page_size === pageSize)) {
    if (isDamaged) {
      onNote(`${lines} is cut or damaged; the pages of its last lines are read again`);
    }
    return content;
  }
  if (pages > 0) {
    onNote(`an interrupted run left ${pages === 1 ? "one page" : `${pages} pages`}; this run starts over`);
  }
  return undefined;
}
