import { randomUUID } from "node:crypto";
import { access, constants, link, mkdir, open, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { StoreUnavailableError } from "../store.ts";
import type { DatabaseAccess, Session } from "./database-session.ts";
import { connectToFile, connectToSharedFile } from "./file-connection.ts";
import { prepareTables } from "./prepare-tables.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { WINDOW_TABLE } from "./tables.ts";

/** Milliseconds to wait for a lock of another process, such as a load of a million rows. */
const READ_LOCK_WAIT = 1_000;
const WRITE_LOCK_WAIT = 60_000;
/** Milliseconds during which reads may still use a replaced file. Writes never use one. */
const READ_TRUSTED_TIME = 1_000;

/** Windows of one process, which end with it. */
const TEMPORARY_WINDOWS = WINDOW_TABLE.replace("CREATE TABLE", "CREATE TEMP TABLE");

/** The connections to one database. */
export interface Database {
  reader: DatabaseAccess;
  writer: DatabaseAccess;
  /** Has the table of windows. Tables of the database itself are only read by it. */
  windows: DatabaseAccess;
}

/** A database in memory, with one connection for reads and writes. */
export async function openMemoryDatabase(): Promise<Database> {
  const connection = new SqliteConnection(":memory:", 0);
  await connection.use(async (session) => {
    await session.script(`PRAGMA temp_store = MEMORY; ${TEMPORARY_WINDOWS}`);
    await prepareTables(session);
  });
  return { reader: connection, writer: connection, windows: connection };
}

/**
 * A database in a file. A missing file is created with mode 0600. If the file disappears later, it is not created again:
 * reads and writes fail until it is back.
 */
export async function openFileDatabase(path: string): Promise<Database> {
  if (await isReadOnly(path)) {
    return await openReadOnlyDatabase(path);
  }
  await createFile(path);
  const creator = connectToFile(path, READ_LOCK_WAIT);
  try {
    await creator.use(prepareTables);
  } finally {
    await creator.close();
  }
  return {
    reader: connectToSharedFile(path, READ_LOCK_WAIT, READ_TRUSTED_TIME),
    writer: connectToSharedFile(path, WRITE_LOCK_WAIT, 0),
    windows: connectToSharedFile(path, READ_LOCK_WAIT, READ_TRUSTED_TIME, {
      onOpen: (session) => attachWindows(session, `${path}-limits`),
    }),
  };
}

/** A read-only database, for example on a read-only disk. Writes fail. */
export async function openReadOnlyDatabase(path: string): Promise<Database> {
  const connect = (onOpen?: (session: Session) => Promise<void>) =>
    connectToSharedFile(path, READ_LOCK_WAIT, READ_TRUSTED_TIME, { access: "read", onOpen });
  const reader = connect();
  await reader.use(async () => undefined);
  const refuse = async () => {
    throw new StoreUnavailableError("the database is read-only");
  };
  const windows = connect((session) => session.script(TEMPORARY_WINDOWS));
  return { reader, writer: { use: refuse, close: async () => {} }, windows };
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
 * Lets a connection use the table of windows. It is in a file of its own: a load locks the database for up to a minute, and
 * every request would wait for it. A write does not wait for the disk, but cannot damage the file.
 */
async function attachWindows(session: Session, path: string): Promise<void> {
  await createWindowFile(path);
  const url = pathToFileURL(path).href.replaceAll("'", "''");
  await session.script(`ATTACH '${url}?mode=rw' AS limits; PRAGMA limits.synchronous = NORMAL`);
}

/** The file gets its name when it is complete, because two processes cannot both set the mode of its journal. */
async function createWindowFile(path: string): Promise<void> {
  if ((await stat(path).catch(() => undefined)) !== undefined) {
    return;
  }
  const draft = `${path}.${randomUUID()}`;
  await createFile(draft);
  try {
    const creator = connectToFile(draft, READ_LOCK_WAIT);
    await creator.use((session) => session.script(`${WINDOW_TABLE}; PRAGMA journal_mode = WAL`));
    await creator.close();
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") {
        throw new StoreUnavailableError(`the file ${path} cannot be created`, { cause: error });
      }
    });
  } finally {
    await rm(draft, { force: true });
  }
}

async function createFile(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await (await open(path, "a", 0o600)).close();
  } catch (error) {
    throw new StoreUnavailableError(`the database file ${path} cannot be opened`, { cause: error });
  }
}
