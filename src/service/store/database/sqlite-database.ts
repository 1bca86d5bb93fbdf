import { statSync } from "node:fs";
import { access, constants, open, realpath, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { fsyncContent } from "../../../files/fsync.ts";
import { makeFolderPath } from "../../../files/own-file.ts";
import { errorCode, fileError } from "../../../files/system-error.ts";
import { ReadOnlyError, StoreUnavailableError } from "../store-types.ts";
import { type DatabaseAccess, onlyRow, type Session } from "./database-session.ts";
import { checkTables, prepareTables } from "./prepare-tables.ts";
import { connectToSqlite } from "./sqlite-connection.ts";

const WINDOW_COLUMNS =
  "key TEXT PRIMARY KEY, started_at INTEGER NOT NULL, ends_at INTEGER NOT NULL, used INTEGER NOT NULL";
/** A table of windows that lives as long as its process. */
const TEMPORARY_WINDOWS = `CREATE TEMP TABLE request_window (${WINDOW_COLUMNS})`;

/** Codes of SQLite for the content of a file that it cannot read. */
const DAMAGE = ["SQLITE_CORRUPT", "SQLITE_NOTADB"];

export interface Database {
  reader: DatabaseAccess;
  writer: DatabaseAccess;
  /** The connection that has the table of windows. It only reads the other tables. */
  windows: DatabaseAccess;
}

/** A database in memory, with one connection for reads and writes. */
export async function openMemoryDatabase(): Promise<Database> {
  const connection = connectToSqlite(":memory:");
  await connection.use(async (session) => {
    await session.script(`PRAGMA temp_store = MEMORY; ${TEMPORARY_WINDOWS}`);
    await prepareTables(session);
  });
  return { reader: connection, writer: connection, windows: connection };
}

/**
 * A database in a file, which is created with mode 0600. If another file takes its place, that file is not used until a restart.
 * @param signal ends waiting for other processes @param warn called if the file of windows was damaged
 */
export async function openFileDatabase(
  location: string,
  { signal, warn = () => {} }: { signal?: AbortSignal | undefined; warn?: (message: string) => void } = {},
): Promise<Database> {
  if ((await stat(location).catch(() => undefined))?.isFIFO()) {
    // Opening it would block a thread until the other end is open.
    throw new StoreUnavailableError("it is a named pipe; a regular file is needed");
  }
  // SQLite keeps its write-ahead log beside the target of a link.
  const path = await realpath(location).catch(() => location);
  if (await isReadOnly(path)) {
    return await openReadOnlyDatabase(path);
  }
  const hasFsync = await ensureFile(path);
  // On a file system without fsync, each commit would fail. Not calling it loses nothing unless the power fails.
  const leaveOutFsync = async (session: Session) => {
    if (!hasFsync) {
      await session.script("PRAGMA synchronous = OFF");
    }
  };
  const onOpen = async (session: Session) => {
    await prepareConnection(session);
    await leaveOutFsync(session);
  };
  const limits = `${path}-limits`;
  let attached: number | undefined;
  const creator = connectToSqlite(path, { onOpen: leaveOutFsync });
  try {
    await creator.use(prepareTables, signal);
  } finally {
    await creator.close();
  }
  return {
    reader: connectToSqlite(path, { onOpen }),
    // Fails fast: another process that loads rows may lock the database for a minute, and waiting blocks a thread.
    writer: connectToSqlite(path, { busyTimeout: 10, onOpen }),
    windows: connectToSqlite(path, {
      onOpen: async (session) => {
        await onOpen(session);
        attached = await attachWindows(session, limits, warn);
      },
      // Without this, a process would go on counting in a file that another one has replaced, or that somebody has removed.
      isCurrent: () => attached === inodeOf(limits),
    }),
  };
}

/** A read-only database, for example on a read-only disk. Writes fail. */
export async function openReadOnlyDatabase(path: string): Promise<Database> {
  const refuse = async () => {
    throw new ReadOnlyError("the database is read-only");
  };
  const connection = connectToSqlite(path, {
    isReadOnly: true,
    onOpen: async (session) => {
      await prepareConnection(session);
      await session.script(TEMPORARY_WINDOWS);
    },
  });
  await connection.use(async () => undefined);
  return { reader: connection, writer: { use: refuse, close: async () => {} }, windows: connection };
}

async function prepareConnection(session: Session): Promise<void> {
  await checkTables(session);
  // Rows that a load stages go to a temporary file. The limit shrinks a long write-ahead log at a later write.
  await session.script("PRAGMA temp_store = FILE; PRAGMA journal_size_limit = 67108864");
}

/** Whether the file can be read but not written, and has no write-ahead log. */
async function isReadOnly(path: string): Promise<boolean> {
  const allows = (mode: number) =>
    access(path, mode).then(
      () => true,
      () => false,
    );
  if (!(await allows(constants.R_OK)) || (await allows(constants.W_OK))) {
    return false;
  }
  const log = await stat(`${path}-wal`).catch(() => undefined);
  return log === undefined || log.size === 0;
}

/**
 * Attaches the table of windows. Its file is separate, because a load locks the database for up to a minute, and every request
 * would wait. Its writes do not wait for the disk: a power failure may lose the last ones, but does not damage it.
 * @returns the inode of the file
 */
async function attachWindows(session: Session, path: string, warn: (message: string) => void) {
  const synchronous = (await ensureFile(path)) ? "NORMAL" : "OFF";
  if (await isDamaged(path)) {
    // Only counts are lost. If it stayed damaged, every request would be refused.
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      await rm(file, { force: true });
    }
    await ensureFile(path);
    warn(`${path} was damaged and is made anew; all counts of request limits begin again`);
  }
  // Read first: if the file is replaced meanwhile, the next use attaches the new one.
  const inode = inodeOf(path);
  const url = pathToFileURL(path).href.replaceAll("'", "''");
  await session.script(`ATTACH '${url}?mode=rw' AS limits`);
  await session.script(`PRAGMA limits.synchronous = ${synchronous}; PRAGMA limits.journal_mode = WAL`);
  await session.script(`CREATE TABLE IF NOT EXISTS limits.request_window (${WINDOW_COLUMNS})`);
  return inode;
}

/** Undefined without a file. Synchronous, because each request asks, and to leave the event loop would take longer. */
function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

async function isDamaged(path: string): Promise<boolean> {
  const connection = connectToSqlite(path);
  try {
    const check = (session: Session) => onlyRow<{ quick_check: string }>(session, "PRAGMA quick_check(1)");
    return (await connection.use(check)).quick_check !== "ok";
  } catch (error) {
    if (DAMAGE.includes(errorCode((error as Error).cause) ?? "")) {
      return true;
    }
    throw error;
  } finally {
    await connection.close();
  }
}

/** @returns whether its file system has fsync */
async function ensureFile(path: string): Promise<boolean> {
  try {
    await makeFolderPath(dirname(path), 0o700);
    await using file = await open(path, "a", 0o600);
    return await fsyncContent(file);
  } catch (error) {
    throw new StoreUnavailableError(fileError(path, error).message, { cause: error });
  }
}
