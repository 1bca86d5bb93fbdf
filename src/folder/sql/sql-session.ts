import type { DuckDBExtractedStatements, DuckDBResult, DuckDBType } from "@duckdb/node-api";
import { FileError } from "../../contract/errors.ts";
import { type DuckDb, sqlText } from "../../files/duckdb.ts";
import { exactValue } from "../../files/duckdb-texts.ts";
import { createUserTable, type NamedFile } from "./user-table.ts";

/** How the package begins the message of a text that is not SQL. */
const NOT_EXTRACTED = "Failed to extract statements: ";

/** Turns logging on, which would write to standard output, or end the process because it may write no file. */
const LOGGING = /enable_logging/i;

/** DuckDB refused a statement, or it is not one query. The message is for people. */
export class QueryError extends Error {}

/** The result of a query. */
export interface QueryResult {
  columns: readonly { name: string; type: string }[];
  /** Rows in chunks of about 2,000; a row is the JSON texts of its values. */
  rows: AsyncIterable<readonly (readonly string[])[]>;
}

export interface SqlSession {
  /**
   * @param isText whether values of a type are the texts that DuckDB prints; default: intervals
   * @throws QueryError if the text is not exactly one query, or DuckDB refuses it
   */
  query(sql: string, isText?: (type: string) => boolean): Promise<QueryResult>;
  /**
   * Writes the result of a query as a Parquet file with DuckDB's own types.
   *
   * @returns its path; the next call replaces it, and it is removed with the session
   * @throws QueryError as `query` does
   */
  writeParquet(sql: string): Promise<string>;
}

interface SqlSessionOptions {
  /** The statements that declare the tables. */
  views: readonly string[];
  /** CSV files of the user that become tables, all of whose columns are texts. */
  tables?: readonly NamedFile[];
  /** The file of `writeParquet`. */
  resultFile: string;
  /** Queries run before it resolves, but give nothing out. If it rejects, its error takes the place of theirs. */
  checked: Promise<unknown>;
  /** Called when rows were read. @throws if a file that they are from was replaced since it was compared */
  assertInPlace: () => Promise<void>;
}

/** A session of queries that users write, on a database that can read only the files that they may read. */
export async function openSqlSession(
  duckDb: DuckDb,
  { views, tables = [], resultFile, checked, assertInPlace }: SqlSessionOptions,
): Promise<SqlSession> {
  const { connection } = duckDb;
  const asQueryError = async (error: unknown): Promise<never> => {
    await checked;
    await assertInPlace();
    duckDb.signal.throwIfAborted();
    throw error instanceof FileError ? error : new QueryError(messageOf(error));
  };
  const ask = <T>(action: () => Promise<T>): Promise<T> => duckDb.until(action).catch(asQueryError);
  for (const statement of views) {
    await ask(() => connection.run(statement));
  }
  for (const table of tables) {
    await duckDb.until(() => createUserTable(connection, table, duckDb.signal));
  }
  const extract = (sql: string) =>
    connection.extractStatements(sql).catch((error: Error) => {
      // The package finds no message for a text without a statement.
      throw error.message.startsWith(NOT_EXTRACTED) ? error : new Error("it has no statement.");
    });
  /**
   * One query, without the semicolon and what follows it. The settings let COPY and ATTACH change the files themselves; a query
   * cannot. DuckDB takes nothing but a query in parentheses, and no semicolon between them, so it is the one that reads the
   * text.
   */
  const oneQuery = async (sql: string): Promise<{ query: string; statements: DuckDBExtractedStatements }> => {
    if (sql.includes("\0")) {
      throw new Error("it holds a NUL character, which would end it there.");
    }
    if (LOGGING.test(sql)) {
      throw new Error("it turns on DuckDB's logging.");
    }
    const statements = await extract(sql);
    for (let query = sql; query !== ""; query = query.slice(0, Math.max(query.lastIndexOf(";"), 0))) {
      const inner = await extract(`FROM ${inParentheses(query)}`).catch(() => undefined);
      // Otherwise a statement follows.
      if (inner?.count === statements.count) {
        return { query, statements };
      }
    }
    throw new Error(
      statements.count === 1
        ? "only queries are allowed (SELECT, FROM, WITH, VALUES, DESCRIBE, SHOW): the folder is read-only."
        : `expected one query, got ${statements.count} statements.`,
    );
  };
  /** The last statement of one query: a PIVOT is preceded by statements that make a type of the values that it finds. */
  const prepareLast = async (statements: DuckDBExtractedStatements) => {
    for (let index = 0; index < statements.count - 1; index += 1) {
      await (await statements.prepare(index)).run();
    }
    return await statements.prepare(statements.count - 1);
  };
  return {
    query: (sql, isText = isInterval) =>
      ask(async () => {
        const { query, statements } = await oneQuery(sql);
        const prepared = await prepareLast(statements);
        if (prepared.parameterCount > 0) {
          throw new Error("it has a parameter; write the value.");
        }
        const types = Array.from({ length: prepared.columnCount }, (_, index) => prepared.columnType(index));
        const names = types.map((_, index) => prepared.columnName(index));
        // A prepared statement keeps the rows of a CSV file that it read to guess types.
        prepared.destroySync();
        const result = await (await prepareLast(await extract(asRead(query, types, isText)))).stream();
        await checked;
        const shown = types.map(String).map((type) => (isText(type) ? "VARCHAR" : type));
        return {
          columns: names.map((name, index) => ({ name, type: shown[index] ?? "" })),
          rows: resultTexts(result, shown, ask, assertInPlace),
        };
      }),
    writeParquet: (sql) =>
      ask(async () => {
        const { query } = await oneQuery(sql);
        const copy = `COPY ${inParentheses(query)} TO ${sqlText(resultFile)} (FORMAT parquet, USE_TMP_FILE false)`;
        await connection.run(copy);
        await checked;
        await assertInPlace();
        return resultFile;
      }),
  };
}

const isInterval = (type: string) => type === "INTERVAL";

/** Whether values of a type have parts: lists, structs, maps. */
export function hasParts(type: string): boolean {
  return /\]$|^(?:STRUCT|MAP|UNION)\(/.test(type) || isInterval(type);
}

/** A query whose columns are numbered, some of them as texts, and whose texts the package reads exactly. */
function asRead(sql: string, types: readonly DuckDBType[], isText: (type: string) => boolean): string {
  const columns = types.map((_, index) => `c${index}`);
  const shown = types.map((type, index) =>
    isText(String(type)) ? `exact(c${index}::VARCHAR)` : exactValue(`c${index}`, type),
  );
  return `SELECT ${shown.join(", ")} FROM ${inParentheses(sql)} AS shown(${columns.join(", ")})`;
}

/** A query as a part of another statement. The line end closes a comment at its end, which would hide the parenthesis. */
function inParentheses(query: string): string {
  return `(${query}\n)`;
}

/** Rows as JSON texts. Integers of any size and decimals are numbers with all their digits. */
async function* resultTexts(
  result: DuckDBResult,
  types: readonly string[],
  ask: <T>(action: () => Promise<T>) => Promise<T>,
  assertInPlace: () => Promise<void>,
): AsyncGenerator<string[][], void, void> {
  const isExact = types.map((type) => /^(U?(BIG|HUGE)INT|DECIMAL\(.*\))$/.test(type));
  const chunks = result.yieldRowsJson()[Symbol.asyncIterator]();
  try {
    for (;;) {
      const chunk = await ask(() => chunks.next());
      if (chunk.done) {
        return;
      }
      yield chunk.value.map((row) =>
        row.map((value, index) => (isExact[index] && typeof value === "string" ? value : JSON.stringify(value))),
      );
    }
  } finally {
    // Also if not all rows are wanted.
    await assertInPlace();
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
