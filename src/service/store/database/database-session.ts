import type { Dialect, SqlValue } from "./dialect.ts";

/** A list is one parameter, see `Dialect.isListed`. */
export type SqlParameter = SqlValue | readonly SqlValue[];

/**
 * What a transaction changes: `stage` only temporary tables, `schema` all tables, `rows` the rows, `records` everything
 * else. Only one transaction at a time changes rows, and only one changes records. Others wait for it.
 */
export type TransactionKind = "stage" | "schema" | "rows" | "records";

/** All columns of a table in their order, with their types. */
export type Columns = Readonly<Record<string, string>>;

/** Runs the statements of one caller, without statements of other callers between them. */
export interface Session {
  readonly dialect: Dialect;
  /**
   * All rows of a statement, each an object by the names of its columns, whose types the caller states. Parameters are written `?`,
   * or `?1`, `?2` and so on.
   */
  query<T = unknown>(sql: string, parameters?: readonly SqlParameter[]): Promise<T[]>;
  /** Inserts the rows whose first column, which is unique, has a new value. @returns the positions of the others */
  insertNew(table: string, columns: Columns, rows: readonly SqlValue[][]): Promise<number[]>;
  /** Runs several statements without parameters. */
  script(sql: string): Promise<void>;
  /** Runs `work` in a transaction, which is committed when `work` resolves and rolled back when it rejects. */
  transaction<T>(kind: TransactionKind, work: () => Promise<T>): Promise<T>;
}

/** The row of a statement that always has one. */
export async function onlyRow<T>(session: Session, sql: string, parameters?: readonly SqlParameter[]): Promise<T> {
  const [row] = await session.query<T>(sql, parameters);
  if (row === undefined) {
    throw new Error(`the database has lost a row: ${sql}`);
  }
  return row;
}

/** Access to a database: one connection, or several that are opened when they are needed. */
export interface DatabaseAccess {
  /**
   * Gives `work` a connection of its own. The deadline ends a running query, and its reason is thrown.
   * @throws StoreUnavailableError if the database is missing, damaged, unreachable or of another program
   */
  use<T>(work: (session: Session) => Promise<T>, deadline?: AbortSignal): Promise<T>;
  close(): Promise<void>;
}

/** Runs `work` in the transaction that `begin` starts. @param rollback also after the deadline */
export async function transact<T>(
  script: Session["script"],
  begin: () => Promise<void>,
  work: () => Promise<T>,
  rollback: () => Promise<void>,
): Promise<T> {
  try {
    // Inside, because BEGIN may succeed and the statement behind it fail.
    await begin();
    const result = await work();
    await script("COMMIT");
    return result;
  } catch (error) {
    await rollback();
    throw error;
  }
}
