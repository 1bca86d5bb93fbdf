import { realpath, rename, rm, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { FileError, SetChangedError } from "../../contract/errors.ts";
import { type DuckDb, type DuckDbOptions, openDuckDb, sqlText } from "../../files/duckdb.ts";
import { assertOwnFolder } from "../../files/own-file.ts";
import { type ScratchFolder, scratchFolder } from "../../files/scratch-folder.ts";
import { fileError } from "../../files/system-error.ts";
import { placeOfDay } from "../day-files.ts";
import { ownFolderOf } from "../folder-lock.ts";
import { readSyncedFolder, type SyncState } from "../folder-state.ts";
import { areInPlace, checkFiles } from "./checked-files.ts";
import { daysKey, fillIndex, INDEX_VERSION, isOfWriting } from "./fill-index.ts";

/** Maximum number of threads of DuckDB. Each needs memory of its own. */
const MAX_THREADS = 4;

/** Rows that DuckDB divides no further among threads: with fewer, a second thread only takes time. */
const ROWS_OF_THREAD = 122_880;

export interface PriceIndexRequest {
  folder: string;
  state: SyncState;
  signal: AbortSignal;
  /** Bytes that DuckDB may use. */
  memory?: number | undefined;
  /** The only files that statements may read or write, besides the index; those of days are read while it is built. */
  files?: readonly string[] | undefined;
  /** Called before days are read. */
  onBuild?: ((days: number) => void) | undefined;
  /** Called if the index cannot be stored in the folder. It is then in memory, for this command alone. */
  onNotStored?: ((reason: string) => void) | undefined;
}

/** The index of a folder, open for reading; closed by `await using`. */
export interface OpenPriceIndex extends DuckDb {
  /** The state of the folder that the index was made of. */
  state: SyncState;
}

export function priceIndexPath(folder: string): string {
  return join(ownFolderOf(folder), "prices.duckdb");
}

/**
 * Opens the index of a synced folder, brought up to date: days whose SHA-256 changed are read again. The new index is written
 * beside the old one and renamed, so that other readers continue with theirs. One that is missing, damaged or of another version is
 * rebuilt. Where the folder cannot be written, it is built in memory.
 *
 * @throws FileError if a day's file is missing or was altered
 * @throws SetChangedError if a sync is about to replace one
 */
export async function openPriceIndex(request: PriceIndexRequest): Promise<OpenPriceIndex> {
  const path = priceIndexPath(request.folder);
  const current = await openIfCurrent(path, request);
  if (current !== undefined) {
    return current;
  }
  await using scratch = await besideIndex(request);
  if (scratch === undefined) {
    return await build(undefined, request);
  }
  const next = join(scratch.path, "prices.duckdb");
  const built = await build(next, request).catch((error: Error) => {
    // The disk is full, or its file system has no fsync.
    if (!(isOfWriting(error) || error.message.startsWith("IO Error"))) {
      throw error;
    }
    request.onNotStored?.(error.message);
  });
  if (!built) {
    return await build(undefined, request);
  }
  await built[Symbol.asyncDispose]();
  try {
    // A program that opened the previous index for writing may have left changes to it.
    await rm(`${path}.wal`, { force: true });
    await rename(next, path);
  } catch (error) {
    request.onNotStored?.((error as Error).message);
  }
  const opened = await openIfCurrent(path, { ...request, state: built.state });
  // Another command may have placed the index of a newer state meanwhile.
  return opened ?? (await build(undefined, request));
}

/** A folder of the tool's own in which a new index is built; undefined if there can be none. */
async function besideIndex({ folder, onNotStored }: PriceIndexRequest): Promise<ScratchFolder | undefined> {
  const own = ownFolderOf(folder);
  await assertOwnFolder(own);
  try {
    // DuckDB writes the log of such a database beside another path.
    return own.includes("?") ? void onNotStored?.("its path has a question mark") : await scratchFolder(own);
  } catch (error) {
    onNotStored?.((error as Error).message);
    return undefined;
  }
}

/** The index at a path if it is that of the state; undefined if it is another one, or cannot be read. */
async function openIfCurrent(path: string, request: PriceIndexRequest): Promise<OpenPriceIndex | undefined> {
  const { state, signal, files = [] } = request;
  if ((await stat(path).catch(() => undefined))?.isFile() !== true) {
    return undefined;
  }
  let duckDb: DuckDb | undefined;
  try {
    duckDb = await openDuckDb({ ...settings(request), database: path, readOnly: true, files });
    const [row] = await rowsOf(duckDb, "SELECT version, days FROM meta");
    if (row?.[0] === INDEX_VERSION && row[1] === daysKey(state)) {
      return { ...duckDb, state, until: untilDamaged(path, duckDb) };
    }
  } catch {
    // It is damaged, or the signal was aborted.
  }
  await duckDb?.[Symbol.asyncDispose]();
  signal.throwIfAborted();
  return undefined;
}

/** What DuckDB says of blocks whose checksum is wrong, and afterwards. */
const DAMAGED = /corrupt database file|database has been invalidated/i;

/** As `until` of an open index, which is removed if it turns out to be damaged. */
function untilDamaged(path: string, duckDb: DuckDb): DuckDb["until"] {
  return async (action) => {
    try {
      return await duckDb.until(action);
    } catch (error) {
      if (!(error instanceof Error && DAMAGED.test(error.message))) {
        throw error;
      }
      await rm(path, { force: true }).catch((failure: unknown) => {
        throw fileError(path, failure, ", but it is damaged and must be removed");
      });
      throw new FileError(`${path} is damaged and was removed; run the command again, which rebuilds it`, path, error);
    }
  };
}

function settings({ state, signal, memory = 512 * 1024 ** 2, files }: PriceIndexRequest) {
  const rows = Object.values(state.days).reduce((sum, day) => sum + day.rows, 0);
  // A query that the user writes may make any number of rows, or read them from other files.
  const useful = files === undefined ? Math.max(1, Math.ceil(rows / ROWS_OF_THREAD)) : MAX_THREADS;
  return {
    threads: Math.min(availableParallelism(), MAX_THREADS, useful),
    memory,
    spills: true,
    signal,
  } satisfies Partial<DuckDbOptions>;
}

/** Builds an index as a file, or in memory without a path, reading what an older one does not have. */
async function build(database: string | undefined, request: PriceIndexRequest): Promise<OpenPriceIndex> {
  const { folder, signal } = request;
  let isOldUsable = database !== undefined;
  for (let { state } = request; ; state = await readSyncedFolder(folder)) {
    const { duckDb, kept } = await openEmpty(database, request, state, isOldUsable);
    const changed = Object.keys(state.days).filter((day) => !kept.has(day));
    request.onBuild?.(changed.length);
    let files: Awaited<ReturnType<typeof checkFiles>>;
    let isBuilt = false;
    try {
      files = await checkFiles({ folder, state, signal }, changed);
      if (files !== undefined) {
        const paths = files.map(({ path }) => path);
        await fillIndex(duckDb, paths, kept, state);
        isBuilt = await areInPlace(files);
      }
    } catch (error) {
      signal.throwIfAborted();
      const isOfFiles = files !== undefined && !(await areInPlace(files));
      const isOfOld =
        kept.size > 0 && !(error instanceof FileError || error instanceof SetChangedError || isOfWriting(error));
      if (!isOfFiles && !isOfOld) {
        throw error;
      }
      // The older index may be damaged.
      isOldUsable = isOfFiles;
    } finally {
      if (!isBuilt) {
        await duckDb[Symbol.asyncDispose]();
      }
    }
    if (isBuilt) {
      return { ...duckDb, state };
    }
    // A sync has replaced a file while it was read.
    if (database !== undefined) {
      await rm(database, { force: true });
    }
  }
}

/** An empty database for an index, and the days that it can take from the older index, which is then attached as `old`. */
async function openEmpty(
  database: string | undefined,
  request: PriceIndexRequest,
  state: SyncState,
  isOldUsable: boolean,
): Promise<{ duckDb: DuckDb; kept: ReadonlySet<string> }> {
  const { folder, signal, files = [] } = request;
  const root = await realpath(folder);
  const options = {
    ...settings(request),
    files: [...Object.keys(state.days).map((day) => join(root, placeOfDay(day))), ...files],
  };
  // Without a log, which takes a sync to disk for each statement: until the index is whole, nothing reads its file.
  const own =
    database === undefined ? [] : [`ATTACH ${sqlText(database)} AS next (RECOVERY_MODE no_wal_writes)`, "USE next"];
  const path = priceIndexPath(folder);
  if (isOldUsable && (await stat(path).catch(() => undefined))?.isFile()) {
    let duckDb: DuckDb | undefined;
    try {
      duckDb = await openDuckDb({ ...options, setUp: [...own, `ATTACH ${sqlText(path)} AS old (READ_ONLY)`] });
      const [meta] = await rowsOf(duckDb, "SELECT version FROM old.meta");
      const days =
        meta?.[0] === INDEX_VERSION
          ? await rowsOf(duckDb, "SELECT strftime(day, '%Y-%m-%d'), sha256 FROM old.day")
          : [];
      const kept = days.filter(([day, sha256]) => state.days[String(day)]?.sha256 === sha256);
      return { duckDb, kept: new Set(kept.map(([day]) => String(day))) };
    } catch {
      await duckDb?.[Symbol.asyncDispose]();
      signal.throwIfAborted();
    }
  }
  return { duckDb: await openDuckDb({ ...options, setUp: own }), kept: new Set() };
}

async function rowsOf(duckDb: DuckDb, sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await duckDb.until((connection) => connection.runAndReadAll(sql))).getRows();
}
