import { resolve } from "node:path";
import { addKeyUses, readKeyByHash } from "./access/team-records.ts";
import type { DatabaseAccess, Session, TransactionKind } from "./database/database-session.ts";
import { databasePath } from "./database/location.ts";
import {
  type Database,
  openFileDatabase,
  openMemoryDatabase,
  openReadOnlyDatabase,
} from "./database/sqlite-database.ts";
import { readPage } from "./product-rows/pages.ts";
import { createSnapshots } from "./product-rows/snapshot.ts";
import { hasVersion, publishVersion, readPublished } from "./product-rows/versions.ts";
import { orAfter, orTimeout } from "./query-deadline.ts";
import { type ReadVersion, readFromStandby } from "./replica.ts";
import { addDayCounts, readDayCounts, readIncidents } from "./status-records.ts";
import type { Snapshot, Store } from "./store.ts";
import { createWindows } from "./windows.ts";

/** Milliseconds that a request waits for the counts of a version that was just published. Then it gets the one before. */
const COUNTED_WAIT = 500;

/** A writable store: in a file of this machine, in memory, or in a PostgreSQL database. */
export interface WritableStore extends Store {
  /** Runs the statements of `work` without statements of other callers between them. */
  read<T>(work: (session: Session) => Promise<T>, deadline?: AbortSignal): Promise<T>;
  /**
   * Runs `work` in a write transaction, which is committed when `work` resolves and rolled back when it rejects. A file
   * has a separate connection for writing, so that reads continue with the earlier data.
   */
  write<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** The same for a change of rows, which may take long: on PostgreSQL, other writes do not wait for it. */
  changeRows<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Gives `work` the connection for writing, without a transaction. Other writers wait only when `work` begins one. */
  prepareWrite<T>(work: (session: Session) => Promise<T>): Promise<T>;
}

/**
 * Opens a database. If there is none, creates an empty one (mode 0600).
 *
 * @param location a file path, a `file:` URL, `:memory:` or the URL of a PostgreSQL database
 * @param replica the URL of a standby of this PostgreSQL database, from which rows are read
 * @throws LocationError, StoreUnavailableError
 */
export async function openStore(location: string, replica?: string): Promise<WritableStore> {
  const database = await openDatabase(location);
  if (replica === undefined) {
    return storeOf(database);
  }
  const { connectToPostgres } = await import("./database/postgres-connection.ts");
  return storeOf(database, connectToPostgres(replica));
}

/** Opens a database that nobody writes to, without locks. @throws StoreUnavailableError */
export async function openStoreForReading(path: string): Promise<WritableStore> {
  return storeOf(await openReadOnlyDatabase(path));
}

async function openDatabase(location: string): Promise<Database> {
  const path = databasePath(location);
  if (path !== undefined) {
    return await openFileDatabase(resolve(path));
  }
  if (location === ":memory:") {
    return await openMemoryDatabase();
  }
  const { openPostgres } = await import("./database/postgres-connection.ts");
  const connection = await openPostgres(location);
  return { reader: connection, writer: connection, windows: connection };
}

function storeOf({ reader, writer, windows }: Database, standby?: DatabaseAccess): WritableStore {
  const readRows: ReadVersion =
    standby === undefined ? (_, work, deadline) => reader.use(work, deadline) : readFromStandby(reader, standby);
  const snapshotOf = createSnapshots(readRows);
  /** The newest version whose rows are counted. */
  let newest: Snapshot | undefined;
  let secret: Buffer | undefined;

  async function newestOf(version: number, deadline: AbortSignal): Promise<Snapshot> {
    if (newest?.version === version) {
      return newest;
    }
    const counted = snapshotOf(version).then((snapshot) => {
      newest = newest === undefined || snapshot.version > newest.version ? snapshot : newest;
      return snapshot;
    });
    return await (newest === undefined ? orTimeout(counted, deadline) : orAfter(COUNTED_WAIT, counted, newest));
  }

  async function change<T>(kind: TransactionKind, work: (session: Session) => Promise<T>): Promise<T> {
    return await writer.use((session) => session.transaction(kind, () => work(session)));
  }

  return {
    read: async (work, deadline) => await reader.use(work, deadline),
    write: async (work) => await change("records", work),
    changeRows: async (work) => {
      const result = await change("rows", work);
      await writer.use(publishVersion);
      return result;
    },
    prepareWrite: async (work) => await writer.use(work),
    snapshot: async (deadline) => await newestOf(await reader.use(readPublished, deadline), deadline),
    snapshotAt: async (version, deadline) => {
      const isKept = await reader.use((session) => hasVersion(session, version), deadline);
      return isKept ? await orTimeout(snapshotOf(version), deadline) : undefined;
    },
    page: async ({ rows }, start, limit, deadline) =>
      await readRows(rows.version, (session) => readPage(session, rows, start, limit), deadline),
    sample: async ({ sample }, most, deadline) => await orTimeout(sample(most), deadline),
    keyByHash: async (hash, deadline) => await reader.use((session) => readKeyByHash(session, hash), deadline),
    cursorSecret: async (deadline) => {
      if (secret === undefined) {
        const [[stored] = []] = await reader.use((session) => session.query("SELECT cursor FROM secret"), deadline);
        secret = Buffer.from(stored as Buffer);
      }
      return secret;
    },
    windows: (name, length) => createWindows(name, length, windows),
    addDayCounts: async (counts) => await change("records", (session) => addDayCounts(session, counts)),
    addKeyUses: async (uses) => await change("records", (session) => addKeyUses(session, uses)),
    dayCounts: async (since) => await reader.use((session) => readDayCounts(session, since)),
    incidents: async (since) => await reader.use((session) => readIncidents(session, since)),
    close: async () => {
      for (const connection of new Set([windows, reader, writer])) {
        await connection.close();
      }
      await standby?.close();
    },
  };
}
