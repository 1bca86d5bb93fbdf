import { dirname, join } from "node:path";
import { MissingPackageError, UsageError } from "../../errors.ts";
import { quoteCommand } from "../../output/terminal/quote.ts";

const PACKAGE = "@duckdb/node-api";

/** The used part of `@duckdb/node-api`; the package is an optional peer, so its own types may be missing. */
interface DuckDb {
  DuckDBInstance: {
    create(
      path: string,
      options: Record<string, string>,
    ): Promise<{ connect(): Promise<DuckDbConnection>; closeSync(): void }>;
  };
  StatementType: { SELECT: number };
}

interface DuckDbConnection {
  run(sql: string): Promise<unknown>;
  extractStatements(sql: string): Promise<{ count: number; prepare(index: number): Promise<Prepared> }>;
  interrupt(): void;
  closeSync(): void;
}

interface Prepared {
  statementType: number;
  stream(): Promise<Result>;
}

interface Result {
  columnNames(): string[];
  columnTypes(): { toString(): string }[];
  /** Chunks of rows; a value is what `JSON.stringify` takes, with exact numbers as text. */
  yieldRowsJson(): AsyncIterable<unknown[][]>;
}

/** The result of a query. */
export interface QueryResult {
  columns: readonly { name: string; type: string }[];
  /** Rows in chunks of about 2,000; a row is the JSON texts of its values. */
  rows: AsyncIterable<readonly (readonly string[])[]>;
}

export interface SqlSession {
  /** @throws UsageError if the text is not exactly one query, or DuckDB refuses it */
  query(sql: string): Promise<QueryResult>;
  /** Writes the result of `sql` as a Parquet file with DuckDB's own types. @throws UsageError as `query` does */
  writeParquet(sql: string, path: string): Promise<void>;
  close(): void;
}

export interface SqlSessionOptions {
  /** Statements that declare the tables; they run before outside access is disabled. */
  setUp: readonly string[];
  /** Folders that queries may read and where DuckDB may spill; nothing else can be opened. */
  folders: readonly string[];
  /** Folder for data that does not fit into memory. */
  spillFolder: string;
  /** Memory limit of DuckDB in bytes. */
  memory: number;
  signal: AbortSignal;
}

/**
 * Opens an in-memory DuckDB that can only read `folders`: no network, no extensions, no other files, no change of
 * settings.
 *
 * @throws MissingPackageError if DuckDB is not installed
 */
export async function openSqlSession(options: SqlSessionOptions): Promise<SqlSession> {
  const { setUp, folders, spillFolder, memory, signal } = options;
  const { DuckDBInstance, StatementType } = await loadDuckDb();
  const instance = await DuckDBInstance.create(":memory:", {
    memory_limit: `${Math.ceil(memory / 1024)}KiB`,
    temp_directory: spillFolder,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  const interrupt = () => connection.interrupt();
  signal.addEventListener("abort", interrupt);
  const ask = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      signal.throwIfAborted();
      return await action();
    } catch (error) {
      signal.throwIfAborted();
      throw new UsageError(messageOf(error));
    }
  };
  const prepare = async (sql: string): Promise<Prepared> => {
    const statements = await connection.extractStatements(sql);
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
  for (const statement of [
    ...setUp,
    `SET allowed_directories = [${[...folders, spillFolder].map((folder) => sqlText(`${folder}/`)).join(", ")}]`,
    "SET enable_external_access = false",
    "SET lock_configuration = true",
  ]) {
    await connection.run(statement);
  }
  return {
    query: (sql) =>
      ask(async () => {
        const result = await (await prepare(sql)).stream();
        const types = result.columnTypes().map(String);
        return {
          columns: result.columnNames().map((name, index) => ({ name, type: types[index] ?? "" })),
          rows: resultTexts(result, types, ask),
        };
      }),
    writeParquet: (sql, path) =>
      ask(async () => {
        await prepare(sql);
        // The line end closes a comment at the end of the query, which would otherwise hide the parenthesis.
        await connection.run(`COPY (${sql.replace(/[\s;]+$/, "")}\n) TO ${sqlText(path)} (FORMAT parquet)`);
      }),
    close: () => {
      signal.removeEventListener("abort", interrupt);
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Rows as JSON texts. Integers of any size and decimals are numbers with all their digits. */
async function* resultTexts(
  result: Result,
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

/** A text as a literal of SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

async function loadDuckDb(): Promise<DuckDb> {
  // Not a literal, so that the package is resolved at run time and not bundled.
  const name: string = PACKAGE;
  try {
    return (await import(name)) as DuckDb;
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    // As an ES module, and in the bundle, which is CommonJS. A module that the package itself needs is no such case.
    if (!/^(ERR_)?MODULE_NOT_FOUND$/.test(code) || !message.includes(`'${PACKAGE}'`)) {
      throw error;
    }
    const command = installCommand(import.meta.filename);
    throw new MissingPackageError(`\`catalog sql\` needs DuckDB, which is not installed. Install it with: ${command}`);
  }
}

/** The command that installs the package where the tool at `own` finds it. */
export function installCommand(own: string): string {
  const [, home = dirname(own)] = /^(.*?)[\\/](?:node_modules[\\/]retail-catalog-cli|dist)[\\/]/.exec(own) ?? [];
  const isGlobal = home === join(dirname(home), "lib");
  return quoteCommand(["npm", "install", ...(isGlobal ? ["--global"] : ["--no-save", "--prefix", home]), PACKAGE]);
}

/** DuckDB's message without its prefix and without the drawing of the error position, which a terminal would wrap. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `The query cannot be run: ${message
    .replace(/^Failed to extract statements: /, "")
    .replace(/\n\s*\n?LINE [\s\S]*$/, "")
    .trim()}`;
}
