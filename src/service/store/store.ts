import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startDeadline, untilAborted } from "../../contract/values/timer.ts";
import { addKeyUses } from "./access/team-records.ts";
import { type DatabaseAccess, onlyRow, type Session } from "./database/database-session.ts";
import { databasePath } from "./database/location.ts";
import {
  type Database,
  openFileDatabase,
  openMemoryDatabase,
  openReadOnlyDatabase,
} from "./database/sqlite-database.ts";
import { readPage } from "./product-rows/pages.ts";
import { createSnapshots, type Selection, type Snapshot } from "./product-rows/snapshot.ts";
import { hasVersion, publishVersion, readVersions } from "./product-rows/versions.ts";
import { withinDeadline } from "./query-deadline.ts";
import { createWindows } from "./rate-limit-windows.ts";
import { type ReadVersion, readFromStandby } from "./standby.ts";
import { addDayCounts, readDayCounts, readIncidents } from "./status-records.ts";
import {
  type DayCount,
  type KeyUse,
  type PageStart,
  ReadOnlyError,
  StoreTimeoutError,
  StoreUnavailableError,
} from "./store-types.ts";

/** Milliseconds that a request waits for the counts of a newly published version, before it falls back to the previous version. */
const COUNTED_WAIT = 500;

/** Milliseconds after which a read without a deadline ends: a connection that the network has lost never responds. */
const LONGEST_READ = 5 * 60_000;

export interface StoreOpening {
  /** The URL of a standby of this PostgreSQL database, from which rows are read. */
  replica?: string | undefined;
  /** Ends reads and changes with its reason. A change ends without effect, unless it is already being committed. */
  signal?: AbortSignal | undefined;
  /** Called with each failure that requests meet, once until the same connection works again or fails otherwise. */
  warn?: ((message: string) => void) | undefined;
}

/**
 * Opens a database: a file path, a `file:` URL, `:memory:` or a PostgreSQL URL. A missing file is created (mode 0600).
 * @throws LocationError, StoreUnavailableError, the reason of the signal
 */
export async function openStore(location: string, opening: StoreOpening = {}): Promise<Store> {
  const { replica, signal, warn = () => {} } = opening;
  const database = await openDatabase(location, signal, warn);
  if (replica === undefined) {
    return storeOf(database, { signal });
  }
  const { connectToPostgres } = await import("./database/postgres-connection.ts");
  return storeOf(database, { standby: reportFailures(connectToPostgres(replica), "standby", warn), signal });
}

/** Warns of each failure of a connection once, until it works again or fails otherwise. */
function reportFailures(access: DatabaseAccess, name: string, warn: (message: string) => void): DatabaseAccess {
  let reported: string | undefined;
  return {
    ...access,
    use: async (work, deadline) => {
      try {
        const result = await access.use(work, deadline);
        reported = undefined;
        return result;
      } catch (error) {
        const isFailure = error instanceof StoreUnavailableError || error instanceof StoreTimeoutError;
        if (isFailure && !(error instanceof ReadOnlyError) && error.message !== reported) {
          reported = error.message;
          warn(`the ${name} cannot be used: ${reported}`);
        }
        throw error;
      }
    },
  };
}

/** Opens a database that nobody writes to, without locks. @throws StoreUnavailableError */
export async function openStoreForReading(path: string): Promise<Store> {
  return storeOf(await openReadOnlyDatabase(path));
}

async function openDatabase(
  location: string,
  signal: AbortSignal | undefined,
  warn: (message: string) => void,
): Promise<Database> {
  const path = databasePath(location);
  const reported = (access: DatabaseAccess) => reportFailures(access, "database", warn);
  if (path !== undefined) {
    const { reader, writer, windows } = await openFileDatabase(resolve(path), { signal, warn });
    return { reader: reported(reader), writer: reported(writer), windows: reported(windows) };
  }
  if (location === ":memory:") {
    return await openMemoryDatabase();
  }
  const { openPostgres } = await import("./database/postgres-connection.ts");
  const connection = reported(await openPostgres(location, signal));
  return { reader: connection, writer: connection, windows: connection };
}

/**
 * Storage of rows, keys and measurements, which recovers from failures by itself.
 * @throws StoreUnavailableError while the database is locked, missing, damaged or unreachable, and the reason of a deadline that passed
 */
export type Store = ReturnType<typeof storeOf>;

function storeOf(
  { reader: endless, writer, windows }: Database,
  { standby, signal }: { standby?: DatabaseAccess; signal?: AbortSignal | undefined } = {},
) {
  const reader: DatabaseAccess = {
    ...endless,
    use: async (work, deadline) =>
      deadline === undefined
        ? await withinDeadline(LONGEST_READ, (longest) => endless.use(work, longest))
        : await endless.use(work, deadline),
  };
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
    const counted = snapshotOf(version, newest).then((snapshot) => {
      newest = newest === undefined || snapshot.version > newest.version ? snapshot : newest;
      return snapshot;
    });
    return await (newest === undefined
      ? untilAborted(counted, deadline)
      : Promise.race([counted, delay(COUNTED_WAIT, newest, { ref: false })]));
  }

  /** Gives `work` the connection for writing. The signal ends it, but no longer once it commits a change. */
  async function useWriter<T>(work: (session: Session) => Promise<T>, ends = signal): Promise<T> {
    if (ends === undefined) {
      return await writer.use(work);
    }
    const deadline = startDeadline([ends]);
    // Once a change is complete, the signal does not end its commit.
    const committing = (session: Session): Session => ({
      ...session,
      transaction: (kind, change) =>
        session.transaction(kind, async () => {
          const result = await change();
          if (kind !== "stage") {
            deadline.release();
          }
          return result;
        }),
    });
    try {
      return await writer.use((session) => work(committing(session)), deadline.signal);
    } finally {
      deadline.release();
    }
  }

  async function change<T>(work: (session: Session) => Promise<T>, ends = signal): Promise<T> {
    return await useWriter((session) => session.transaction("records", () => work(session)), ends);
  }

  return {
    /** Runs the statements of `work` without statements of other callers between them. */
    read: async <T>(work: (session: Session) => Promise<T>, deadline = signal): Promise<T> =>
      await reader.use(work, deadline),
    /**
     * Runs `work` in a write transaction. A file has a separate connection for it, so that reads continue with the earlier data.
     * @param ends instead of the signal of the store
     */
    write: change,
    /** Like `write`, but for changes of rows, which may take long: on PostgreSQL, other writes do not wait for them. */
    changeRows: async <T>(work: (session: Session) => Promise<T>): Promise<T> =>
      await useWriter(async (session) => {
        const result = await session.transaction("rows", () => work(session));
        await publishVersion(session);
        return result;
      }),
    /** Gives `work` the connection for writing, without a transaction. Other writers wait only when `work` begins one. */
    prepareWrite: async <T>(work: (session: Session) => Promise<T>): Promise<T> => await useWriter(work),
    /** The newest version that is published and whose rows are counted, so that no request waits for a load. */
    snapshot: async (deadline: AbortSignal): Promise<Snapshot> =>
      await newestOf((await reader.use(readVersions, deadline)).published, deadline),
    /** An earlier version. Undefined if the database never had it or has deleted it, which it may do a day after the next version. */
    snapshotAt: async (version: number, deadline: AbortSignal): Promise<Snapshot | undefined> => {
      const isKept = await reader.use((session) => hasVersion(session, version), deadline);
      return isKept ? await untilAborted(snapshotOf(version), deadline) : undefined;
    },
    /** At most `limit` rows of a selection of this store. @throws Error if rows are missing that it counted */
    page: async ({ rowSet }: Selection, start: PageStart, limit: number, deadline: AbortSignal) =>
      await readRows(rowSet.version, (session) => readPage(session, rowSet, start, limit), deadline),
    /** The database's secret for signing cursors, generated with the database. */
    cursorSecret: async (deadline: AbortSignal): Promise<Buffer> => {
      // A Buffer of PostgreSQL, and an ArrayBuffer of SQLite.
      const read = (session: Session) => onlyRow<{ cursor: ArrayBuffer }>(session, "SELECT cursor FROM secret");
      secret ??= Buffer.from((await reader.use(read, deadline)).cursor);
      return secret;
    },
    /** Rate-limit windows of `length` milliseconds. All services on the database share the windows of a name, and restarts keep them. */
    windows: (name: string, length: number) => createWindows(name, length, windows),
    addDayCounts: async (counts: readonly DayCount[]): Promise<void> =>
      await change((session) => addDayCounts(session, counts)),
    addKeyUses: async (uses: readonly KeyUse[]): Promise<void> => await change((session) => addKeyUses(session, uses)),
    /** Counts from the day `since` (`YYYY-MM-DD`) on, sorted by day and operation. */
    dayCounts: async (since: string, deadline = signal) =>
      await reader.use((session) => readDayCounts(session, since), deadline),
    /** Incidents that are open or were open at or after `since`, newest first. */
    incidents: async (since: string, deadline = signal) =>
      await reader.use((session) => readIncidents(session, since), deadline),
    close: async (): Promise<void> => {
      for (const connection of new Set([windows, reader, writer])) {
        await connection.close();
      }
      await standby?.close();
    },
  };
}
