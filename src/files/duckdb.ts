import type { DuckDBConnection } from "@duckdb/node-api";
import { FileError } from "../contract/errors.ts";
import { onAbort } from "../contract/values/timer.ts";
import { EXACT_MACRO } from "./duckdb-texts.ts";
import { scratchFolder } from "./scratch-folder.ts";

/** Glob metacharacters. */
const GLOB = /[[*?]/;

/** Milliseconds between two interrupts: one that arrives before a statement starts has no effect. */
const INTERRUPT_INTERVAL = 10;

export interface DuckDbOptions {
  /** The database file; without it, the database is in memory. */
  database?: string;
  readOnly?: boolean;
  /** Maximum number of threads. With one, the same statements write the same bytes in every run. */
  threads: number;
  /** Memory limit of the engine in bytes. */
  memory: number;
  /** Whether what does not fit into memory goes to a temporary folder. */
  spills?: boolean;
  /** The only files that statements may read or write, besides the database; without it, any. */
  files?: readonly string[];
  /** Runs before outside access ends. */
  setUp?: readonly string[];
  /** Ends the running statement when it is aborted. */
  signal: AbortSignal;
}

/** An open database; closed by `await using`. */
export interface DuckDb extends AsyncDisposable {
  connection: DuckDBConnection;
  /** Ends the running statement when it is aborted. */
  readonly signal: AbortSignal;
  /** Does something with the connection. @throws the reason of the signal once that is aborted */
  until<T>(action: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
}

/**
 * Opens DuckDB without extensions or changes of settings, and with access to the named files alone. COPY and ATTACH can
 * still write these, so statements that users write must be queries.
 *
 * If the optional package is missing, loading it fails and `missingPackageError` says how to install it.
 */
export async function openDuckDb(options: DuckDbOptions): Promise<DuckDb> {
  const { database = ":memory:", readOnly = false, threads, memory, spills = false, files, setUp = [] } = options;
  const { DuckDBInstance } = await loadDuckDb();
  options.signal.throwIfAborted();
  // Without a folder that can be written, what fits into memory still works.
  const scratch = spills ? await scratchFolder().catch(() => undefined) : undefined;
  const instance = await DuckDBInstance.create(database, {
    access_mode: readOnly ? "READ_ONLY" : "AUTOMATIC",
    memory_limit: `${Math.ceil(memory / 1024)}KiB`,
    threads: String(threads),
    temp_directory: scratch?.path ?? "",
    // The system caches blocks of files that are read again.
    enable_external_file_cache: "false",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  }).catch(async (error: unknown) => {
    await scratch?.[Symbol.asyncDispose]();
    throw error;
  });
  const connection = await instance.connect().catch(async (error: unknown) => {
    instance.closeSync();
    await scratch?.[Symbol.asyncDispose]();
    throw error;
  });
  const { signal } = options;
  const release = interruptOn(signal, connection);
  const duckDb: DuckDb = {
    connection,
    signal,
    until: async (action) => {
      try {
        signal.throwIfAborted();
        return await action(connection);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    [Symbol.asyncDispose]: async () => {
      release();
      connection.closeSync();
      instance.closeSync();
      await scratch?.[Symbol.asyncDispose]();
    },
  };
  try {
    for (const statement of [
      // Each view and each query would read the footers of all files again.
      "SET parquet_metadata_cache = true",
      EXACT_MACRO,
      ...setUp,
      ...(files === undefined ? [] : accessTo(files)),
      "SET lock_configuration = true",
    ]) {
      await duckDb.until(() => connection.run(statement));
    }
  } catch (error) {
    await duckDb[Symbol.asyncDispose]();
    throw error;
  }
  return duckDb;
}

/** Statements that restrict DuckDB to these files. */
function accessTo(files: readonly string[]): string[] {
  // DuckDB looks up both the glob and each path that it matches.
  const paths = new Set(files.flatMap((file) => [fileGlob(file), file]));
  return [`SET allowed_paths = [${[...paths].map(sqlText).join(", ")}]`, "SET enable_external_access = false"];
}

/** Interrupts statements once the signal is aborted, until the returned function is called. */
function interruptOn(signal: AbortSignal, connection: DuckDBConnection): () => void {
  let interrupting: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    // A running statement keeps the process alive; an idle DuckDB must not.
    interrupting ??= setInterval(interrupt, INTERRUPT_INTERVAL).unref();
  };
  const stopListening = onAbort(signal, interrupt);
  return () => {
    stopListening();
    clearInterval(interrupting);
  };
}

/** A text as a literal of SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * In a glob, DuckDB reads a backslash as a path separator, and it cannot be escaped.
 *
 * @throws FileError for a path that DuckDB cannot read
 */
export function assertDuckDbPath(path: string): void {
  if (path.includes("\\") && GLOB.test(path)) {
    throw new FileError(`${path}: DuckDB reads no path with a backslash and one of [ * ?; use another name`, path);
  }
}

/** The glob that matches one path alone: DuckDB reads every path as a glob. @throws as `assertDuckDbPath` */
export function fileGlob(path: string): string {
  assertDuckDbPath(path);
  return path.replace(new RegExp(GLOB, "g"), "[$&]");
}

/** Loads the package on demand, because that takes longer than loading the rest of the tool. */
export async function loadDuckDb(): Promise<typeof import("@duckdb/node-api")> {
  // The package is CommonJS: in a bundle, all its exports are members of the default one.
  return (await import("@duckdb/node-api")).default;
}
