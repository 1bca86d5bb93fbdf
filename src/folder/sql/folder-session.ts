import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "../../files/scratch-folder.ts";
import { placeOfDay } from "../day-files.ts";
import type { SyncState } from "../folder-state.ts";
import { openPriceIndex, type PriceIndexRequest } from "../index/price-index.ts";
import { checkDay } from "../synced-day.ts";
import { type NamedFile, openSqlSession, type SqlSession } from "./sql-session.ts";
import { viewStatements } from "./views.ts";

interface FolderSqlRequest extends Omit<PriceIndexRequest, "files"> {
  /** The newest day that counts for prices. */
  lastDay: string;
  /** CSV files of the user that become tables. */
  tables?: readonly NamedFile[];
}

/** Files that are read together. */
const AT_ONCE = 8;

/**
 * Opens the index of a synced folder, read-only, with the tables for queries that users write (`views.ts`).
 *
 * @throws FileError if a file is missing or was altered
 * @throws SetChangedError if a sync is about to replace one
 */
export async function withFolderSql<T>(
  { lastDay, tables = [], signal, ...request }: FolderSqlRequest,
  use: (session: SqlSession) => Promise<T>,
): Promise<T> {
  const { folder, state } = request;
  const ended = new AbortController();
  const active = AbortSignal.any([signal, ended.signal]);
  const checked = assertUnaltered(folder, state, active);
  checked.catch((error: unknown) => ended.abort(error));
  try {
    await using scratch = await scratchFolder();
    const resultFile = join(scratch.path, "result.parquet");
    const root = await realpath(folder);
    const days = Object.keys(state.days).map((day) => join(root, placeOfDay(day)));
    const files = [...days, ...tables.map(({ path }) => path), resultFile];
    await using index = await openPriceIndex({ ...request, files, signal: active });
    const [[name] = []] = (await index.connection.runAndReadAll("SELECT current_database()")).getRows();
    const views = viewStatements(String(name), days, lastDay);
    return await use(await openSqlSession(index, { views, tables, resultFile, checked }));
  } finally {
    ended.abort();
  }
}

/** DuckDB takes flipped bits for values, so each file is compared with the state while DuckDB is loaded and reads. */
async function assertUnaltered(folder: string, state: SyncState, signal: AbortSignal): Promise<void> {
  const days = Object.keys(state.days);
  for (let first = 0; first < days.length; first += AT_ONCE) {
    signal.throwIfAborted();
    await Promise.all(days.slice(first, first + AT_ONCE).map((day) => checkDay(folder, day, state)));
  }
}
