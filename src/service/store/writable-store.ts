import { resolve } from "node:path";
import { addKeyUses, readKeyByHash } from "./access/team-records.ts";
import type { Session, TransactionKind } from "./database/database-session.ts";
import { databasePath } from "./database/location.ts";
import {
  type Database,
  openFileDatabase,
  openMemoryDatabase,
  openReadOnlyDatabase,
} from "./database/sqlite-database.ts";
import { blobOf, readRowTexts } from "./product-rows/row-texts.ts";
import { createSnapshots } from "./product-rows/snapshot.ts";
import { hasVersion, readVersion } from "./product-rows/versions.ts";
import { orTimeout } from "./query-deadline.ts";
import { addDayCounts, readDayCounts, readIncidents } from "./status-records.ts";
import { type Snapshot, StaleSnapshotError, type Store } from "./store.ts";
import { createWindows } from "./windows.ts";

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
 * @param listedRows the ids of selections of at most this many rows are kept in memory
 * @throws LocationError, StoreUnavailableError
 */
export async function openStore(location: string, listedRows?: number): Promise<WritableStore> {
  return storeOf(await openDatabase(location), listedRows);
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

function storeOf(database: Database, listedRows?: number): WritableStore {
  const { reader, writer } = database;
  let kept: { file: string; snapshotOf: ReturnType<typeof createSnapshots>; secret?: Buffer } | undefined;

  /** What is kept of this file. Of a file that was replaced, nothing is. */
  function keptOf(file: string): NonNullable<typeof kept> {
    if (kept?.file !== file) {
      kept = { file, snapshotOf: createSnapshots(listedRows) };
    }
    return kept;
  }

  async function snapshotOf(version: number, file: string, deadline: AbortSignal): Promise<Snapshot> {
    const readOf = <T>(work: (session: Session) => Promise<T>, end?: AbortSignal) =>
      reader.use((session, present) => {
        if (present !== file) {
          throw new StaleSnapshotError("the database was replaced");
        }
        return work(session);
      }, end);
    return await keptOf(file).snapshotOf(
      version,
      (work) => readOf(work, deadline),
      (work) => orTimeout(readOf(work), deadline),
    );
  }

  async function change<T>(kind: TransactionKind, work: (session: Session) => Promise<T>): Promise<T> {
    return await writer.use((session) => session.transaction(kind, () => work(session)));
  }

  return {
    read: async (work, deadline) => await reader.use(work, deadline),
    write: async (work) => await change("records", work),
    changeRows: async (work) => await change("rows", work),
    prepareWrite: async (work) => await writer.use(work),
    snapshot: async (deadline) => {
      const found = await reader.use(
        async (session, file) => ({ version: await readVersion(session), file }),
        deadline,
      );
      return await snapshotOf(found.version, found.file, deadline);
    },
    snapshotAt: async (version, deadline) => {
      const found = await reader.use(
        async (session, file) => ({ isKept: await hasVersion(session, version), file }),
        deadline,
      );
      return found.isKept ? await snapshotOf(version, found.file, deadline) : undefined;
    },
    rows: async (ids, deadline) => await reader.use((session) => readRowTexts(session, ids), deadline),
    keyByHash: async (hash, deadline) => await reader.use((session) => readKeyByHash(session, hash), deadline),
    cursorSecret: async (deadline) =>
      await reader.use(async (session, file) => {
        const known = keptOf(file);
        known.secret ??= blobOf((await session.query("SELECT cursor FROM secret"))[0]?.[0]);
        return known.secret;
      }, deadline),
    windows: (name, length) => createWindows(name, length, database.windows),
    addDayCounts: async (counts) => await change("records", (session) => addDayCounts(session, counts)),
    addKeyUses: async (uses) => await change("records", (session) => addKeyUses(session, uses)),
    dayCounts: async (since) => await reader.use((session) => readDayCounts(session, since)),
    incidents: async (since) => await reader.use((session) => readIncidents(session, since)),
    close: async () => {
      for (const connection of new Set([database.windows, reader, writer])) {
        await connection.close();
      }
    },
  };
}
