import { stat } from "node:fs/promises";
import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBResult, DuckDBType } from "@duckdb/node-api";
import { FileError } from "../../contract/errors.ts";
import { type DuckDb, filePattern, loadDuckDb, sqlText } from "../../files/duckdb.ts";
import { exactValue } from "../../files/duckdb-texts.ts";
import { withFileError } from "../../files/system-error.ts";

/** How the package begins the message of a text that is not SQL. */
const NOT_EXTRACTED = "Failed to extract statements: ";

/** Functions that a query could call for what they do: they write logs, also to files, or the database. */
const CHANGING = /(?:enable|disable)_logging|truncate_duckdb_logs|write_log|(?:force_)?checkpoint\s*\(/i;

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

/** A file, and the name of the table that it becomes. */
export interface NamedFile {
  name: string;
  path: string;
}

interface SqlSessionOptions {
  /** The statements that declare the tables. */
  views: readonly string[];
  /** CSV files of the user that become tables, all of whose columns are texts. */
  tables?: readonly NamedFile[];
  /** The file of `writeParquet`. */
  resultFile: string;
  /** Queries run before it resolves, but give nothing out. If it rejects, its error takes the place of theirs. */
  checked: Promise<void>;
}

/** A session of queries that users write, on a database that can read only the files that they may read. */
export async function openSqlSession(
  duckDb: DuckDb,
  { views, tables = [], resultFile, checked }: SqlSessionOptions,
): Promise<SqlSession> {
  const { connection } = duckDb;
  const { StatementType } = await loadDuckDb();
  const asQueryError = async (error: unknown): Promise<never> => {
    await checked;
    duckDb.signal.throwIfAborted();
    throw error instanceof FileError ? error : new QueryError(messageOf(error));
  };
  const ask = <T>(action: () => Promise<T>): Promise<T> => duckDb.until(action).catch(asQueryError);
  for (const statement of views) {
    await ask(() => connection.run(statement));
  }
  for (const table of tables) {
    await duckDb.until(() => readTable(connection, table));
  }
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
        const types = Array.from({ length: prepared.columnCount }, (_, index) => prepared.columnType(index));
        const names = types.map((_, index) => prepared.columnName(index));
        // It keeps what it has read of a CSV file to find its types.
        prepared.destroySync();
        const result = await (await prepareLast(asRead(sql, types, isText))).stream();
        await checked;
        const shown = types.map(String).map((type) => (isText(type) ? "VARCHAR" : type));
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
  };
}

/** @throws FileError if the file cannot be read as CSV */
async function readTable(connection: DuckDBConnection, { name, path }: NamedFile): Promise<void> {
  const read = `read_csv(${sqlText(filePattern(path))}, all_varchar = true, header = true, allow_quoted_nulls = false)`;
  await withFileError(path, () => stat(path));
  try {
    await connection.run(`CREATE TEMP TABLE "${name}" AS FROM ${read}`);
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

/** A query whose columns are numbered, some of them as texts, and whose texts the package reads exactly. */
function asRead(sql: string, types: readonly DuckDBType[], isText: (type: string) => boolean): string {
  const columns = types.map((_, index) => `c${index}`);
  const shown = types.map((type, index) =>
    isText(String(type)) ? `exact(c${index}::VARCHAR)` : exactValue(`c${index}`, type),
  );
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
