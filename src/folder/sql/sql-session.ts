import { stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBResult } from "@duckdb/node-api";
import { FileError } from "../../contract/errors.ts";
import { filePattern, loadDuckDb, openDuckDb, sqlText } from "../../files/duckdb.ts";
import { withFileError } from "../../files/system-error.ts";

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
  close(): Promise<void>;
}

/** A file, and the name of the table that it becomes. */
export interface NamedFile {
  name: string;
  path: string;
}

export interface SqlSessionOptions {
  /** The statements that declare the tables, before outside access is disabled. */
  setUp: readonly string[];
  /** CSV files of the user that become tables, all of whose columns are texts. */
  tables?: readonly NamedFile[];
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
  const { setUp, tables = [], files, resultFile, memory, checked, signal } = options;
  const { StatementType } = loadDuckDb();
  const asQueryError = async (error: unknown): Promise<never> => {
    await checked;
    signal.throwIfAborted();
    throw new QueryError(messageOf(error));
  };
  const duckDb = await openDuckDb({
    threads: Math.min(availableParallelism(), MOST_THREADS),
    memory,
    spills: true,
    files: [...files, ...tables.map(({ path }) => path), resultFile],
    setUp,
    signal,
  }).catch(asQueryError);
  const { connection } = duckDb;
  for (const table of tables) {
    await duckDb
      .until(() => readTable(connection, table))
      .catch(async (error: unknown) => {
        await duckDb[Symbol.asyncDispose]();
        throw error;
      });
  }
  const ask = <T>(action: () => Promise<T>): Promise<T> => duckDb.until(action).catch(asQueryError);
  /** The last statement of one query: a PIVOT is preceded by statements that make a type of the values that it finds. */
  const prepareLast = async (sql: string): Promise<DuckDBPreparedStatement> => {
    const statements = await connection.extractStatements(sql).catch((error: Error) => {
      // The package finds no message for a text without a statement.
      throw error.message.startsWith(NOT_EXTRACTED) ? error : new Error("it has no statement.");
    });
    if (statements.count !== 1 && !isOneStatement(sql)) {
      throw new Error(`expected one query, got ${statements.count} statements.`);
    }
    for (let index = 0; index < statements.count - 1; index += 1) {
      await (await statements.prepare(index)).run();
    }
    return await statements.prepare(statements.count - 1);
  };
  /** The settings let COPY and ATTACH change the files themselves; a query cannot. */
  const prepareQuery = async (sql: string): Promise<DuckDBPreparedStatement> => {
    if (sql.includes("\0")) {
      throw new Error("it holds a NUL character, which would end it there.");
    }
    if (CHANGING.test(sql)) {
      throw new Error("it calls a function that changes what DuckDB does, or writes a file.");
    }
    const prepared = await prepareLast(sql);
    if (prepared.statementType !== StatementType.SELECT) {
      throw new Error(
        "only queries are allowed (SELECT, FROM, WITH, VALUES, DESCRIBE, SHOW): the folder is read-only.",
      );
    }
    return prepared;
  };
  return {
    query: (sql, isText = isInterval) =>
      ask(async () => {
        const prepared = await prepareQuery(sql);
        const types = columnTypes(prepared);
        const names = types.map((_, index) => prepared.columnName(index));
        const asTexts = types.some(isText) ? await prepareLast(withTexts(sql, types.map(isText))) : prepared;
        const result = await asTexts.stream();
        await checked;
        const shown = types.map((type) => (isText(type) ? "VARCHAR" : type));
        return {
          columns: names.map((name, index) => ({ name, type: shown[index] ?? "" })),
          rows: resultTexts(result, shown, ask),
        };
      }),
    writeParquet: (sql) =>
      ask(async () => {
        await prepareQuery(sql);
        const copy = `COPY (${inParentheses(sql)}) TO ${sqlText(resultFile)} (FORMAT parquet, USE_TMP_FILE false)`;
        await connection.run(copy);
        await checked;
        return resultFile;
      }),
    close: async () => await duckDb[Symbol.asyncDispose](),
  };
}

/** @throws FileError if the file cannot be read as CSV */
async function readTable(connection: DuckDBConnection, { name, path }: NamedFile): Promise<void> {
  const read = `read_csv(${sqlText(filePattern(path))}, all_varchar = true, header = true, allow_quoted_nulls = false)`;
  await withFileError(path, () => stat(path));
  try {
    await connection.run(`CREATE TABLE "${name}" AS FROM ${read}`);
  } catch (error) {
    const reason = (error as Error).message.split("\n")[0];
    throw new FileError(`${path} cannot be read as CSV: ${reason}`, path, error);
  }
}

const isInterval = (type: string) => type === "INTERVAL";

/** Whether values of a type have parts: lists, structs, maps. */
export function hasParts(type: string): boolean {
  return /\]$|^(?:STRUCT|MAP|UNION)\(/.test(type) || isInterval(type);
}

function columnTypes(prepared: DuckDBPreparedStatement): string[] {
  return Array.from({ length: prepared.columnCount }, (_, index) => String(prepared.columnType(index)));
}

/** A query whose columns are numbered, and some of them texts. */
function withTexts(sql: string, isText: readonly boolean[]): string {
  const columns = isText.map((_, index) => `c${index}`);
  const shown = columns.map((column, index) => (isText[index] ? `${column}::VARCHAR` : column));
  return `SELECT ${shown.join(", ")} FROM (${inParentheses(sql)}) AS shown(${columns.join(", ")})`;
}

/** A query as a part of another. The line end closes a comment at its end, which would hide the parenthesis. */
function inParentheses(sql: string): string {
  return `${sql.replace(/[\s;]+$/, "")}\n`;
}

/** Texts, names and comments of SQL, in which a semicolon ends nothing. */
const QUOTED =
  /\b[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** Whether no semicolon divides a text into statements. */
function isOneStatement(sql: string): boolean {
  return !inParentheses(sql.replace(QUOTED, " ")).includes(";");
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
