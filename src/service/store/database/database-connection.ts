import Database from "libsql/promise";
import { StoreTimeoutError, StoreUnavailableError } from "../store.ts";

export type SqlValue = string | number | Buffer | null;

/** The statements of one caller. No statement of another caller runs between them. */
export interface Session {
  /** All rows of one statement, each an array of its columns. The first row is computed off the event loop. */
  query(sql: string, parameters?: readonly SqlValue[]): Promise<SqlValue[][]>;
  /** The same for a result too large to hold: rows one by one, those after the first computed on the event loop. */
  iterate(sql: string): Promise<Iterable<SqlValue[]>>;
  /** A statement for very many executions; each runs on the event loop and returns the number of rows it changed. */
  prepare(sql: string): Promise<(parameters: readonly SqlValue[]) => number>;
  /** Runs several statements without parameters. */
  script(sql: string): Promise<void>;
  /** Runs `work` in one transaction: committed when it resolves, undone when it rejects. */
  transaction<T>(kind: TransactionKind, work: () => Promise<T>): Promise<T>;
}

/** `IMMEDIATE` locks the database against other writers at once, `DEFERRED` at the first write to it. */
type TransactionKind = "IMMEDIATE" | "DEFERRED";

interface NativeStatement {
  reader: boolean;
  raw(): NativeStatement;
  all(parameters: readonly SqlValue[]): Promise<SqlValue[][]>;
  iterate(): Promise<Iterable<SqlValue[]>>;
  run(parameters: readonly SqlValue[]): { changes: number };
}

/**
 * One connection to an embedded database. A prepared statement that is started twice gives the rows of
 * one caller to another, so sessions take turns.
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

  /** Waits for its turn, then lets `work` use the connection alone. Past the deadline a running query is interrupted. */
  exclusively<T>(work: (session: Session) => Promise<T>, deadline?: AbortSignal): Promise<T> {
    const turn = this.#lastTurn.then(async () => {
      throwIfPast(deadline);
      return await work(this.#session(deadline));
    });
    this.#lastTurn = turn.catch(() => undefined);
    return deadline === undefined ? turn : orTimeout(turn, deadline);
  }

  /** One statement in a turn of its own. */
  query(sql: string, parameters: readonly SqlValue[] = [], deadline?: AbortSignal): Promise<SqlValue[][]> {
    return this.exclusively((session) => session.query(sql, parameters), deadline);
  }

  /** Runs `work` in one write transaction: committed when it resolves, undone when it rejects. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.exclusively((session) => session.transaction("IMMEDIATE", () => work(session)));
  }

  /** Closes after the turns under way. */
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
    // Rows as arrays; the driver refuses the setting for a statement that has none.
    if (statement.reader) {
      statement.raw();
    }
    this.#statements.set(sql, statement);
    return statement;
  }

  async #interruptible<T>(work: () => Promise<T>, deadline: AbortSignal | undefined): Promise<T> {
    throwIfPast(deadline);
    const interrupt = () => this.#database.interrupt();
    deadline?.addEventListener("abort", interrupt, { once: true });
    try {
      return await work();
    } catch (error) {
      throwIfPast(deadline);
      throw unavailable(error);
    } finally {
      deadline?.removeEventListener("abort", interrupt);
    }
  }
}

/** The error that callers of the store get for a failed statement; the driver's error is its cause. */
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

function throwIfPast(deadline: AbortSignal | undefined): void {
  if (deadline?.aborted === true) {
    throw new StoreTimeoutError("the query passed its deadline", { cause: deadline.reason });
  }
}

/** Gives up waiting when the deadline passes, so that a turn held by another caller cannot prolong it. */
async function orTimeout<T>(turn: Promise<T>, deadline: AbortSignal): Promise<T> {
  let giveUp: (() => void) | undefined;
  const passed = new Promise<never>((_, reject) => {
    giveUp = () => reject(new StoreTimeoutError("the query passed its deadline", { cause: deadline.reason }));
    deadline.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([turn, passed]);
  } finally {
    if (giveUp !== undefined) {
      deadline.removeEventListener("abort", giveUp);
    }
  }
}
