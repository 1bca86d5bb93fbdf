import { setTimeout as pause } from "node:timers/promises";
import type { Compilable } from "kysely";
import Database from "libsql/promise";
import { throwIfPast } from "../query-deadline.ts";
import { StoreUnavailableError } from "../store.ts";
import { type Session, type SqlParameter, type SqlValue, transact } from "./database-session.ts";
import { SQLITE } from "./dialect.ts";

/** Milliseconds between two interrupts of a query that is past its deadline. */
const INTERRUPT_INTERVAL = 10;

/**
 * Milliseconds of one attempt to get a lock, and of the pause before the next one. The driver has as many threads as the
 * machine has processors, and an attempt holds one of them: a long one would stop all queries of the process.
 */
const LOCK_ATTEMPT = 10;

interface NativeStatement {
  reader: boolean;
  raw(): NativeStatement;
  all<T>(parameters: readonly SqlValue[]): Promise<T[]>;
  run(parameters: readonly SqlValue[]): { changes: number };
}

/** An open database, and its statements by what they return and their text. */
export interface OpenDatabase {
  readonly database: Database;
  readonly statements: Map<string, NativeStatement>;
}

/** @param place a `file:` URL or `:memory:` @throws StoreUnavailableError */
export function openDatabase(place: string): OpenDatabase {
  return { database: attempt(() => new Database(place, { timeout: LOCK_ATTEMPT })), statements: new Map() };
}

/**
 * One session at a time may use a database, because two callers of the same prepared statement would get each other's rows.
 *
 * @param lockWait milliseconds to wait for another connection's lock
 * @param deadline interrupts a running query
 */
export function sqliteSession(
  { database, statements }: OpenDatabase,
  lockWait: number,
  deadline: AbortSignal | undefined,
): Session {
  async function interruptible<T>(work: () => Promise<T>): Promise<T> {
    throwIfPast(deadline);
    let again: NodeJS.Timeout | undefined;
    // Repeated, because an interrupt before the query starts on its thread has no effect.
    const interrupt = () => {
      database.interrupt();
      again = setTimeout(interrupt, INTERRUPT_INTERVAL);
    };
    deadline?.addEventListener("abort", interrupt, { once: true });
    const end = performance.now() + lockWait;
    try {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          throwIfPast(deadline);
          if ((error as { code?: unknown }).code !== "SQLITE_BUSY" || performance.now() >= end) {
            throw unavailable(error);
          }
          await pause(LOCK_ATTEMPT);
        }
      }
    } finally {
      deadline?.removeEventListener("abort", interrupt);
      clearTimeout(again);
    }
  }

  async function prepare(sql: string, rows: "arrays" | "objects"): Promise<NativeStatement> {
    const key = `${rows} ${sql}`;
    const known = statements.get(key);
    if (known !== undefined) {
      return known;
    }
    const statement = await interruptible(async () => (await database.prepare(sql)) as NativeStatement);
    // The driver refuses this setting for a statement without rows.
    if (rows === "arrays" && statement.reader) {
      statement.raw();
    }
    statements.set(key, statement);
    return statement;
  }

  const script = async (sql: string): Promise<void> => {
    await interruptible(() => database.exec(sql) as Promise<void>);
  };

  return {
    dialect: SQLITE,
    run: async <T>(query: Compilable<T>) => {
      const { sql, parameters } = query.compile();
      const statement = await prepare(sql, "objects");
      return await interruptible(() => statement.all<T>(parameters as readonly SqlValue[]));
    },
    // The first row is computed outside the event loop.
    query: async (sql, parameters = []) => {
      const statement = await prepare(sql, "arrays");
      return await interruptible(() => statement.all<SqlValue[]>(parameters.map(plain)));
    },
    insertNew: async (table, columns, rows) => {
      const marks = Object.keys(columns).map(() => "?");
      const statement = await prepare(
        `INSERT INTO ${table} VALUES (${marks.join(", ")}) ON CONFLICT DO NOTHING`,
        "arrays",
      );
      // On the event loop: to leave it for each row would take longer.
      return attempt(() => [...rows.keys()].filter((position) => statement.run(rows[position] ?? []).changes === 0));
    },
    script,
    // An immediate transaction locks out other writers at once.
    transaction: (kind, work) => transact(script, kind === "stage" ? "BEGIN" : "BEGIN IMMEDIATE", work),
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
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreUnavailableError(`the database cannot be used: ${reason}`, { cause: error });
}
