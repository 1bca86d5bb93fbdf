import { access, constants, mkdir, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { StoreUnavailableError } from "../store.ts";
import { DatabaseConnection } from "./database-connection.ts";
import { checkSchema, createSchema } from "./schema.ts";
import { connectToFile, type SharedConnection, shareConnection } from "./shared-connection.ts";

/** Milliseconds to wait for a lock of another process, such as a load of a million rows. */
const READ_LOCK_WAIT = 1_000;
const WRITE_LOCK_WAIT = 60_000;
/** Milliseconds during which reads may still use a replaced file. Writes never use one. */
const READ_TRUSTED_TIME = 1_000;

/** The connections to one database. */
export interface Database {
  reader: SharedConnection;
  writer: SharedConnection;
  /** Whether services on several machines use it, so that nothing that they share is in memory. */
  isShared?: boolean;
}

/** A database in memory, with one connection for reads and writes. */
export async function openMemoryDatabase(): Promise<Database> {
  const connection = new DatabaseConnection(":memory:", 0);
  await connection.exclusively((session) => session.script("PRAGMA temp_store = MEMORY"));
  await createSchema(connection);
  const use: SharedConnection["use"] = async (work) => await work(connection, "memory");
  return { reader: { use, close: () => connection.close() }, writer: { use, close: async () => {} } };
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
    await createSchema(creator);
  } finally {
    await creator.close();
  }
  return {
    reader: shareConnection(path, READ_LOCK_WAIT, READ_TRUSTED_TIME),
    writer: shareConnection(path, WRITE_LOCK_WAIT, 0),
  };
}

/** A read-only database, for example on a read-only disk. Writes fail. */
export async function openReadOnlyDatabase(path: string): Promise<Database> {
  const reader = shareConnection(path, READ_LOCK_WAIT, READ_TRUSTED_TIME, "read");
  await reader.use(checkSchema);
  const refuse = async () => {
    throw new StoreUnavailableError("the database is read-only");
  };
  return { reader, writer: { use: refuse, close: async () => {} } };
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

async function createFile(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await (await open(path, "a", 0o600)).close();
  } catch (error) {
    throw new StoreUnavailableError(`the database file ${path} cannot be opened`, { cause: error });
  }
}
