import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "../../files/scratch-folder.ts";
import { openJudgedPrices } from "../ask/judged-prices.ts";
import { placeOfDay } from "../day-files.ts";
import { areInPlace, checkFiles, replacedError } from "../index/checked-files.ts";
import { SUSPECT_FACTOR } from "../index/suspect-factor.ts";
import type { PriceIndexRequest } from "../index/update-index.ts";
import { openSqlSession, type SqlSession } from "./sql-session.ts";
import type { NamedFile } from "./user-table.ts";
import { declareObserved, viewStatements } from "./views.ts";

interface FolderSqlRequest extends Omit<PriceIndexRequest, "files"> {
  /** The newest day that counts for prices. */
  lastDay: string;
  /** CSV files of the user that become tables. */
  tables?: readonly NamedFile[];
}

/**
 * Opens the index of a synced folder, read-only, with the tables for queries that users write (`views.ts`).
 *
 * @throws FileError if a file is missing or was altered
 * @throws SetChangedError if a sync replaces one, or is about to
 */
export async function withFolderSql<T>(
  { lastDay, tables = [], signal, ...request }: FolderSqlRequest,
  use: (session: SqlSession) => Promise<T>,
): Promise<T> {
  const { folder, state } = request;
  const ended = new AbortController();
  const active = AbortSignal.any([signal, ended.signal]);
  const days = Object.keys(state.days);
  // DuckDB takes flipped bits for values, so each file is compared with the state while DuckDB is loaded and reads.
  const checked = checkFiles({ folder, state, signal: active }, days).then((files) => {
    if (files === undefined) {
      throw replacedError(folder);
    }
    return files;
  });
  checked.catch((error: unknown) => ended.abort(error));
  try {
    await using scratch = await scratchFolder();
    const resultFile = join(scratch.path, "result.parquet");
    const root = await realpath(folder);
    const paths = days.map((day) => join(root, placeOfDay(day)));
    const files = [...paths, resultFile];
    const scope = { departments: null, categories: null, combinations: null, brands: null };
    const which = { lastDay, suspectFactor: SUSPECT_FACTOR, scope };
    await using prices = await openJudgedPrices({ ...request, ...which, files, signal: active });
    await declareObserved(prices, lastDay, prices.preamble !== "");
    const views = viewStatements(paths, lastDay);
    const assertInPlace = async () => {
      if (!(await areInPlace(await checked))) {
        throw replacedError(folder);
      }
    };
    return await use(await openSqlSession(prices, { views, tables, resultFile, checked, assertInPlace }));
  } finally {
    ended.abort();
  }
}
