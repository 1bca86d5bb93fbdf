import { stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import Database from "libsql/promise";
import { untilAborted } from "../../../contract/values/timer.ts";
import { errorCode } from "../../../files/system-error.ts";
import { StoreUnavailableError } from "../store-types.ts";
import { type DatabaseAccess, type Session, type SqlParameter, transact } from "./database-session.ts";
import { SQLITE, type SqlValue } from "./dialect.ts";

/** Milliseconds that a statement waits for another connection's lock. */
const BUSY_TIMEOUT = 1_000;

/** Milliseconds that a write transaction waits for that of another process, such as a load of a million rows. */
const TRANSACTION_WAIT = 60_000;

/** Milliseconds between two attempts to begin it. */
const TRANSACTION_PAUSE = 20;

/** Milliseconds between two interrupts of a query that is past its deadline. */
const INTERRUPT_INTERVAL = 10;

interface NativeStatement {
  all<T>(parameters: readonly SqlValue[]): Promise<T[]>;
  run(parameters: readonly SqlValue[]): { changes: number };
}

/** An open database, and its prepared statements by their text. */
interface OpenDatabase {
  readonly database: Database;
  readonly statements: Map<string, NativeStatement>;
}

interface ConnectionOptions {
  /** A read-only file is opened without locks, because locks need additional files. */
  isReadOnly?: boolean;
  /**
   * Milliseconds that a statement waits for a lock. The driver has one thread a processor, and a waiting statement blocks one.
   */
  busyTimeout?: number;
  /** Prepares a connection that was opened. */
  onOpen?: (session: Session) => Promise<void>;
  /** Whether an open connection still has the right files; if not, it is opened again. */
  isCurrent?: () => boolean;
}

/**
 * One connection to a file or to `:memory:`. Sessions take turns, because two callers of a prepared statement would get each
 * other's rows. It stays open, because the driver frees closed connections only by garbage collection, and is opened again after
 * an error.
 */
export function connectToSqlite(path: string, options: ConnectionOptions = {}): DatabaseAccess {
  const {
    isReadOnly = false,
    busyTimeout: timeout = BUSY_TIMEOUT,
    onOpen = async () => {},
    isCurrent = () => true,
  } = options;
  let current: OpenDatabase | undefined;
  let lastTurn: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = lastTurn.then(work);
    lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async function opened(): Promise<OpenDatabase> {
    if (current !== undefined && !isCurrent()) {
      shut();
    }
    if (current === undefined) {
      const location = await locationOf(path, isReadOnly);
      current = { database: attempt(() => new Database(location, { timeout })), statements: new Map() };
      await onOpen(sessionOf(current, undefined)).catch((error) => {
        shut();
        throw error;
      });
    }
    return current;
  }

  function shut(): void {
    current?.statements.clear();
    current?.database.close();
    current = undefined;
  }

  return {
    use: (work, deadline) => {
      const turn = inTurn(async () => {
        deadline?.throwIfAborted();
        const database = await opened();
        try {
          return await work(sessionOf(database, deadline));
        } catch (error) {
          if (error instanceof StoreUnavailableError && path !== ":memory:") {
            shut();
          }
          throw error;
        }
      });
      return untilAborted(turn, deadline);
    },
    close: () => inTurn(async () => shut()),
  };
}

async function locationOf(path: string, isReadOnly: boolean): Promise<string> {
  if (path === ":memory:") {
    return path;
  }
  await stat(path).catch((error: unknown) => {
    throw new StoreUnavailableError(`the database file ${path} is missing`, { cause: error });
  });
  // In mode rw, SQLite does not create an empty database if the file has just disappeared.
  return `${pathToFileURL(path).href}?${isReadOnly ? "mode=ro&immutable=1" : "mode=rw"}`;
}

/** @param deadline interrupts a running query */
function sessionOf({ database, statements }: OpenDatabase, deadline: AbortSignal | undefined): Session {
  async function run<T>(work: () => Promise<T>): Promise<T> {
    deadline?.throwIfAborted();
    let timer: NodeJS.Timeout | undefined;
    // Repeated, because an interrupt before the query starts on its thread has no effect.
    const interrupt = () => {
      timer = setInterval(() => database.interrupt(), INTERRUPT_INTERVAL);
    };
    deadline?.addEventListener("abort", interrupt, { once: true });
    try {
      return await work();
    } catch (error) {
      deadline?.throwIfAborted();
      throw unavailable(error);
    } finally {
      deadline?.removeEventListener("abort", interrupt);
      clearInterval(timer);
    }
  }

  async function prepare(sql: string): Promise<NativeStatement> {
    const statement = statements.get(sql) ?? (await run(async () => (await database.prepare(sql)) as NativeStatement));
    statements.set(sql, statement);
    return statement;
  }

  const script = async (sql: string): Promise<void> => {
    await run(() => database.exec(sql) as Promise<void>);
  };

  /** An immediate transaction locks out other writers at once. */
  async function beginWrite(): Promise<void> {
    for (const end = Date.now() + TRANSACTION_WAIT; ; await pause(TRANSACTION_PAUSE)) {
      try {
        return await script("BEGIN IMMEDIATE");
      } catch (error) {
        if (errorCode((error as Error).cause) !== "SQLITE_BUSY" || Date.now() > end) {
          throw error;
        }
      }
    }
  }

  /** Also gives back the space of the write-ahead log, because requests cannot be counted while the disk is full. */
  const rollback = async (): Promise<void> => {
    await database.exec("ROLLBACK").catch(() => undefined);
    await database.exec("PRAGMA wal_checkpoint(TRUNCATE)").catch(() => undefined);
  };

  return {
    dialect: SQLITE,
    // The first row is computed outside the event loop.
    query: async <T>(sql: string, parameters: readonly SqlParameter[] = []) => {
      const statement = await prepare(sql);
      return await run(() => statement.all<T>(parameters.map(plain)));
    },
    insertNew: async (table, columns, rows) => {
      const marks = Object.keys(columns).map(() => "?");
      const statement = await prepare(`INSERT INTO ${table} VALUES (${marks.join(", ")}) ON CONFLICT DO NOTHING`);
      // On the event loop: to leave it for each row would take longer.
      return attempt(() => [...rows.entries()].filter(([, row]) => statement.run(row).changes === 0).map(([at]) => at));
    },
    script,
    transaction: async (kind, work) => {
      if (kind !== "stage") {
        return await transact(script, beginWrite, work, rollback);
      }
      return await transact(script, () => script("BEGIN"), work, rollback).catch((error: unknown) => {
        // Only the temporary tables grow, which are in another folder than the database.
        throw error instanceof StoreUnavailableError && errorCode(error.cause) === "SQLITE_FULL"
          ? new StoreUnavailableError("the folder of temporary files is full; TMPDIR names another", { cause: error })
          : error;
      });
    },
  };
}

function plain(parameter: SqlParameter): SqlValue {
  return Array.isArray(parameter) ? JSON.stringify(parameter) : (parameter as SqlValue);
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unavailable(error);
  }
}

/** The error of the store for a failed statement. Its cause is the driver's error. */
function unavailable(error: unknown): StoreUnavailableError {
  return new StoreUnavailableError(error instanceof Error ? error.message : String(error), { cause: error });
}
