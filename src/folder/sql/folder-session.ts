import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { filePattern, sqlText } from "../../files/duckdb.ts";
import { scratchFolder } from "../../files/scratch-folder.ts";
import { placeOfDay } from "../day-files.ts";
import type { SyncState } from "../folder-state.ts";
import { openPriceIndex, type PriceIndexRequest } from "../index/price-index.ts";
import { checkDay } from "../synced-day.ts";
import { type NamedFile, openSqlSession, type SqlSession } from "./sql-session.ts";
import { observedQuery, tableStatements } from "./views.ts";

interface FolderSqlRequest {
  folder: string;
  state: SyncState;
  /** Days of the folder whose files are read. */
  days: readonly string[];
  /** The newest day that counts for prices. */
  lastDay: string;
  /** CSV files of the user that become tables. */
  tables?: readonly NamedFile[];
  signal: AbortSignal;
  /** Memory limit of DuckDB in bytes; what does not fit goes to the system's temporary folder. */
  memory?: number | undefined;
}

/** Files that are read together. */
const AT_ONCE = 8;

const DEFAULT_MEMORY = 512 * 1024 ** 2;

/**
 * Opens DuckDB, read-only, over some days of a synced folder, with its tables (`views.ts`).
 *
 * @throws FileError if a file is missing or was altered
 * @throws SetChangedError if a sync is about to replace one
 */
export async function withFolderSql<T>(
  { folder, state, days, lastDay, tables = [], signal, memory = DEFAULT_MEMORY }: FolderSqlRequest,
  use: (session: SqlSession) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const active = AbortSignal.any([signal, ended.signal]);
  const checked = assertUnaltered(folder, state, days, active);
  checked.catch((error: unknown) => ended.abort(error));
  const { path: scratch, ...created } = await scratchFolder();
  try {
    const root = await realpath(folder);
    const paths = days.map((day) => join(root, placeOfDay(day)));
    const observed = join(scratch, "observed.parquet");
    await writeObserved(observed, { folder, state, signal: active, memory }, lastDay);
    const session = await openSqlSession({
      setUp: tableStatements(paths.map(filePattern), filePattern(observed)),
      tables,
      files: [...paths, observed],
      resultFile: join(scratch, "result.parquet"),
      memory,
      checked,
      signal: active,
    });
    try {
      return await use(session);
    } finally {
      await session.close();
    }
  } finally {
    ended.abort();
    await created[Symbol.asyncDispose]();
  }
}

/** Writes the observations of the folder's index to a file, which a session without the index reads. */
async function writeObserved(path: string, request: PriceIndexRequest, lastDay: string): Promise<void> {
  await using index = await openPriceIndex({ ...request, outputs: [path] });
  await index.until((connection) =>
    connection.run(`COPY (${observedQuery(lastDay)}) TO ${sqlText(path)} (FORMAT parquet)`),
  );
}

/** DuckDB takes flipped bits for values, so each file is compared with the state while DuckDB is loaded and reads. */
async function assertUnaltered(
  folder: string,
  state: SyncState,
  days: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (let first = 0; first < days.length; first += AT_ONCE) {
    signal.throwIfAborted();
    await Promise.all(days.slice(first, first + AT_ONCE).map((day) => checkDay(folder, day, state)));
  }
}
