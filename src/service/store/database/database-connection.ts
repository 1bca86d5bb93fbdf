import Database from "libsql/promise";
import { orTimeout, throwIfPast } from "../query-deadline.ts";
import { StoreUnavailableError } from "../store.ts";

export type SqlValue = string | number | Buffer | null;

/** Runs the statements of one caller, without statements of other callers between them. */
export interface Session {
  /** All rows of a statement, each an array of its columns. The first row is computed outside the event loop. */
  query(sql: string, parameters?: readonly SqlValue[]): Promise<SqlValue[][]>;
  /** The same, row by row, for large results. Rows after the first are computed on the event loop. */
  iterate(sql: string): Promise<Iterable<SqlValue[]>>;
  /** A statement that is executed very often. It runs on the event loop and returns the number of changed rows. */
  prepare(sql: string): Promise<(parameters: readonly SqlValue[]) => number>;
  /** Runs several statements without parameters. */
  script(sql: string): Promise<void>;
  /** Runs `work` in a transaction, which is committed when `work` resolves and rolled back when it rejects. */
  transaction<T>(kind: TransactionKind, work: () => Promise<T>): Promise<T>;
}

/** `IMMEDIATE` locks out other writers at once, `DEFERRED` at the first write. */
type TransactionKind = "IMMEDIATE" | "DEFERRED";

/** Milliseconds between two interrupts of a query that is past its deadline. */
const INTERRUPT_INTERVAL = 10;

interface NativeStatement {
  reader: boolean;
  raw(): NativeStatement;
  all(parameters: readonly SqlValue[]): Promise<SqlValue[][]>;
  iterate(): Promise<Iterable<SqlValue[]>>;
  run(parameters: readonly SqlValue[]): { changes: number };
}

/**
 * One connection to an embedded database. Sessions take turns, because two callers of the same prepared statement would
 * get each other's rows.
 */
export class DatabaseConnection {
  readonly #database: Database;
  readonly #statements = new Map<string, NativeStatement>();
  #lastTurn: Promise<unknown> = Promise.resolve();

  /**
   * @param path of an SQLite database, or `:memory:`
   * @param lockWait milliseconds to wait for another connection's lock
   */
  constructor(path: string, lockWait: number) {
    this.#database = attempt(() => new Database(path, { timeout: lockWait }));
  }

  /** Waits for its turn, then gives `work` the connection alone. The deadline interrupts a running query. */
  exclusively<T>(work: (session: Session) => Promise<T>, deadline?: AbortSignal): Promise<T> {
    const turn = this.#lastTurn.then(async () => {
      throwIfPast(deadline);
      return await work(this.#session(deadline));
    });
    this.#lastTurn = turn.catch(() => undefined);
    return deadline === undefined ? turn : orTimeout(turn, deadline);
  }

  /** Runs `work` in a write transaction, which is committed when `work` resolves and rolled back when it rejects. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.exclusively((session) => session.transaction("IMMEDIATE", () => work(session)));
  }

  /** Closes after all waiting sessions. */
  async close(): Promise<void> {
    await this.exclusively(async () => {
      this.#statements.clear();
      this.#database.close();
    });
  }

  #session(deadline: AbortSignal | undefined): Session {
    const script = async (sql: string) => {
      await this.#interruptible(() => this.#database.exec(sql) as Promise<void>, deadline);
    };
    return {
      query: async (sql, parameters = []) => {
        const statement = await this.#statement(sql, deadline);
        return await this.#interruptible(() => statement.all(parameters), deadline);
      },
      iterate: async (sql) => {
        const statement = await this.#statement(sql, deadline);
        return await this.#interruptible(() => statement.iterate(), deadline);
      },
      prepare: async (sql) => {
        const statement = await this.#statement(sql, deadline);
        return (parameters) => attempt(() => statement.run(parameters).changes);
      },
      script,
      transaction: async (kind, work) => {
        await script(`BEGIN ${kind}`);
        try {
          const result = await work();
          await script("COMMIT");
          return result;
        } catch (error) {
          await script("ROLLBACK").catch(() => undefined);
          throw error;
        }
      },
    };
  }

  async #statement(sql: string, deadline: AbortSignal | undefined): Promise<NativeStatement> {
    const known = this.#statements.get(sql);
    if (known !== undefined) {
      return known;
    }
    const statement = await this.#interruptible(
      async () => (await this.#database.prepare(sql)) as NativeStatement,
      deadline,
    );
    // Rows as arrays. The driver refuses this setting for a statement without rows.
    if (statement.reader) {
      statement.raw();
    }
    this.#statements.set(sql, statement);
    return statement;
  }

  async #interruptible<T>(work: () => Promise<T>, deadline: AbortSignal | undefined): Promise<T> {
    throwIfPast(deadline);
    let again: NodeJS.Timeout | undefined;
    // Repeated, because an interrupt before the query starts on its thread has no effect.
    const interrupt = () => {
      this.#database.interrupt();
      again = setTimeout(interrupt, INTERRUPT_INTERVAL);
    };
    deadline?.addEventListener("abort", interrupt, { once: true });
    try {
      return await work();
    } catch (error) {
      throwIfPast(deadline);
      throw unavailable(error);
    } finally {
      deadline?.removeEventListener("abort", interrupt);
      clearTimeout(again);
    }
  }
}

/** The error of the store for a failed statement. Its cause is the driver's error. */
function unavailable(error: unknown): StoreUnavailableError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreUnavailableError(`the database cannot be used: ${reason}`, { cause: error });
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unavailable(error);
  }
}
