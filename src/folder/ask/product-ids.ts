import { availableParallelism } from "node:os";
import { openDuckDb, sqlText } from "../../files/duckdb.ts";
import type { SyncState } from "../folder-state.ts";
import { areInPlace, checkFiles, replacedError } from "../index/checked-files.ts";
import { crawledRows, fileList } from "../index/crawled-rows.ts";

const MEMORY = 256 * 1024 ** 2;

/** A year of day files takes two threads half as long as one; further ones add memory. */
const MAX_THREADS = 2;

/** A crawled row, by its day and its place in the file of the day. */
export type CrawledRow = { day: string; place: string };

/**
 * Reads from the files of days what the index does not have: the ids of crawled rows.
 *
 * @throws FileError if a file is missing or was altered
 * @throws SetChangedError if a sync replaces one meanwhile
 */
export async function readProductIds(
  { folder, state, signal }: { folder: string; state: SyncState; signal: AbortSignal },
  rows: readonly CrawledRow[],
): Promise<(CrawledRow & { product_id: string })[]> {
  const days = [...new Set(rows.map(({ day }) => day))];
  const files = await checkFiles({ folder, state, signal }, days);
  if (files === undefined) {
    throw replacedError(folder);
  }
  const paths = files.map(({ path }) => path);
  const wanted = rows.map(({ day, place }) => `(DATE ${sqlText(day)}, ${place})`).join(", ");
  const sql = `SELECT strftime(crawl_date, '%Y-%m-%d'), place::VARCHAR, exact(product_id) FROM (${crawledRows(fileList(paths))})
    SEMI JOIN (VALUES ${wanted}) AS wanted (crawl_date, place) USING (crawl_date, place)`;
  const threads = Math.min(availableParallelism(), MAX_THREADS);
  await using duckDb = await openDuckDb({ threads, memory: MEMORY, files: paths, signal });
  const found = await duckDb.until((connection) => connection.runAndReadAll(sql));
  if (!(await areInPlace(files))) {
    throw replacedError(folder);
  }
  return found.getRows().map(([day, place, id]) => ({
    day: String(day),
    place: String(place),
    product_id: String(id),
  }));
}
