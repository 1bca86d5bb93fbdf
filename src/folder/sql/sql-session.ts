import { availableParallelism } from "node:os";
import type { DuckDBPreparedStatement, DuckDBResult } from "@duckdb/node-api";
import { openDuckDb, sqlText } from "../../files/duckdb.ts";

/** Most threads of DuckDB. Each needs memory of its own. */
export const MOST_THREADS = 4;

/** How the package begins the message of a text that is not SQL. */
const NOT_EXTRACTED = "Failed to extract statements: ";

/** Functions that a query could call for what they do: they write logs, also to files, or the database. */
const CHANGING = /(?:enable|disable)_logging|truncate_duckdb_logs|write_log|(?:force_)?checkpoint\s*\(/i;

/** DuckDB refused a statement, or it is not one query. The message is for people. */
export class QueryError extends Error {
  override readonly name = "QueryError";
}

/** The result of a query. */
export interface QueryResult {
  columns: readonly { name: string; type: string }[];
  /** Rows in chunks of about 2,000; a row is the JSON texts of its values. */
  rows: AsyncIterable<readonly (readonly string[])[]>;
}

export interface SqlSession {
  /**
   * @param values the parameters, `$1` for the first
   * @throws QueryError if the text is not exactly one query, or DuckDB refuses it
   */
  query(sql: string, values?: readonly string[]): Promise<QueryResult>;
  /**
   * Writes the result of a query as a Parquet file with DuckDB's own types.
   *
   * @returns its path; the next call replaces it, and it is removed with the session
   * @throws QueryError as `query` does
   */
  writeParquet(sql: string, values?: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

export interface SqlSessionOptions {
  /** The statements that declare the tables, before outside access is disabled. */
  setUp: readonly string[];
  /** The only files that queries can read, as the tables name them. */
  files: readonly string[];
  /** The file of `writeParquet`. */
  resultFile: string;
  /** Memory limit of DuckDB in bytes. */
  memory: number;
  /** Queries run before it resolves, but give nothing out. If it rejects, its error takes the place of theirs. */
  checked: Promise<void>;
  signal: AbortSignal;
}

/**
 * Opens an in-memory DuckDB that can only read `files`: no network, no extensions, no other files, no change of settings.
 * It uses at most 4 threads. When `signal` is aborted, a running query ends at once.
 */
export async function openSqlSession(options: SqlSessionOptions): Promise<SqlSession> {
  const { setUp, files, resultFile, memory, checked, signal } = options;
  const { StatementType } = await import("@duckdb/node-api");
  const asQueryError = async (error: unknown): Promise<never> => {
    await checked;
    signal.throwIfAborted();
    throw new QueryError(messageOf(error));
  };
  const duckDb = await openDuckDb({
    threads: Math.min(availableParallelism(), MOST_THREADS),
    memory,
    spills: true,
    files: [...files, resultFile],
    setUp,
    signal,
  }).catch(asQueryError);
  const { connection } = duckDb;
  const ask = <T>(action: () => Promise<T>): Promise<T> => duckDb.until(action).catch(asQueryError);
  /** The settings let COPY and ATTACH change the files themselves; a query cannot. */
  const prepareQuery = async (sql: string): Promise<DuckDBPreparedStatement> => {
    if (sql.includes("\0")) {
      throw new Error("it holds a NUL character, which would end it there.");
    }
    if (CHANGING.test(sql)) {
      throw new Error("it calls a function that changes what DuckDB does, or writes a file.");
    }
    const statements = await connection.extractStatements(sql).catch((error: Error) => {
      // The package finds no message for a text without a statement.
      throw error.message.startsWith(NOT_EXTRACTED) ? error : new Error("it has no statement.");
    });
    if (statements.count !== 1) {
      throw new Error(`expected one query, got ${statements.count} statements.`);
    }
    const prepared = await statements.prepare(0);
    if (prepared.statementType !== StatementType.SELECT) {
      throw new Error(
        "only queries are allowed (SELECT, FROM, WITH, VALUES, DESCRIBE, SHOW): the folder is read-only.",
      );
    }
    return prepared;
  };
  const bind = (prepared: DuckDBPreparedStatement, values: readonly string[]) => {
    prepared.bind([...values]);
    return prepared;
  };
  return {
    query: (sql, values = []) =>
      ask(async () => {
        const result = await bind(await prepareQuery(sql), values).stream();
        await checked;
        const types = result.columnTypes().map(String);
        return {
          columns: result.columnNames().map((name, index) => ({ name, type: types[index] ?? "" })),
          rows: resultTexts(result, types, ask),
        };
      }),
    writeParquet: (sql, values = []) =>
      ask(async () => {
        await prepareQuery(sql);
        // The line end closes a comment at the end of the query, which would otherwise hide the parenthesis.
        const query = `${sql.replace(/[\s;]+$/, "")}\n`;
        const copy = `COPY (${query}) TO ${sqlText(resultFile)} (FORMAT parquet, USE_TMP_FILE false)`;
        await bind(await connection.prepare(copy), values).run();
        await checked;
        return resultFile;
      }),
    close: async () => await duckDb[Symbol.asyncDispose](),
  };
}

/** Rows as JSON texts. Integers of any size and decimals are numbers with all their digits. */
async function* resultTexts(
  result: DuckDBResult,
  types: readonly string[],
  ask: <T>(action: () => Promise<T>) => Promise<T>,
): AsyncGenerator<string[][], void, void> {
  const isExact = types.map((type) => /^(U?(BIG|HUGE)INT|DECIMAL\(.*\))$/.test(type));
  const chunks = result.yieldRowsJson()[Symbol.asyncIterator]();
  for (;;) {
    const chunk = await ask(() => chunks.next());
    if (chunk.done) {
      return;
    }
    yield chunk.value.map((row) =>
      row.map((value, index) => (isExact[index] && typeof value === "string" ? value : JSON.stringify(value))),
    );
  }
}

/** DuckDB's message without its prefix and without the drawing of the error position, which a terminal would wrap. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `The query cannot be run: ${message
    .replace(NOT_EXTRACTED, "")
    .replace(/\n\s*\n?LINE [\s\S]*$/, "")
    .trim()}`;
}
