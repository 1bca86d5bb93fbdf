import { join } from "node:path";
import { UsageError } from "../../contract/errors.ts";
import { firstFew } from "../../contract/values/phrases.ts";
import { columnsOfParquet } from "../../export/formats/file-columns.ts";
import { PARQUET_MEMORY, PARQUET_WRITER, WRITER_KEY } from "../../export/formats/parquet.ts";
import { columnsOf } from "../../export/formats/row-members.ts";
import { type DuckDb, fileGlob, openDuckDb, sqlText } from "../../files/duckdb.ts";
import { fingerprint } from "../../files/fingerprint.ts";
import { DAY_FILE, type DayFolders, placeOfDay } from "../day-files.ts";
import type { DayState } from "../day-state.ts";
import type { SyncState } from "../folder-state.ts";

interface AdoptOptions {
  folder: string;
  adopt: boolean;
  signal: AbortSignal;
  isWanted: (day: string) => boolean;
}

/**
 * Handles day files that the folder's state does not list. Sync never replaces or removes a file that it may not have
 * written. With `adopt` it takes over files whose Parquet metadata say that this tool wrote them. Those of version 0.1.0, which have
 * the day as a column, must have rows of that day alone.
 *
 * @param state undefined if the folder has none
 * @returns the days taken over; they must be pulled again, because their rows are not known
 * @throws UsageError if there are such files and they cannot be taken over, or `adopt` is false
 */
export async function adoptDays(
  { days, unexpectedFiles }: DayFolders,
  state: SyncState | undefined,
  { folder, adopt, signal, isWanted }: AdoptOptions,
): Promise<Record<string, DayState>> {
  const known = new Set([...Object.keys(state?.days ?? {}), ...(state?.pending ?? [])]);
  const unknown = days.filter((day) => !known.has(day));
  const foreign = [...unknown.map(placeOfDay), ...(state === undefined ? unexpectedFiles : [])];
  if (foreign.length === 0) {
    return {};
  }
  if (!adopt) {
    throw new UsageError(
      `${folder} has day folders that \`catalog sync\` does not know: ${firstFew(foreign)}. Name another folder. If catalog wrote them, take them over with --adopt.`,
    );
  }
  const adopted: Record<string, DayState> = {};
  const refused = state === undefined ? [...unexpectedFiles] : [];
  await using duckDb = await openDuckDb({ threads: 1, memory: PARQUET_MEMORY, signal });
  for (const day of unknown) {
    const content = await contentIfOurs(join(folder, placeOfDay(day)), day, duckDb);
    content === undefined ? refused.push(placeOfDay(day)) : Object.assign(adopted, { [day]: content });
  }
  const refusal = (reason: string) =>
    new UsageError(`${folder} cannot be taken over, because ${reason}`, { flag: "--adopt" });
  if (refused.length > 0) {
    const names = firstFew(refused);
    throw refusal(`\`catalog sync\` did not write ${names}. Move them away, or name another folder.`);
  }
  const outside = unknown.filter((day) => !isWanted(day));
  if (outside.length > 0) {
    const names = firstFew(outside);
    throw refusal(`it has days outside the filters: ${names}. Use filters that include them, or move them away.`);
  }
  return adopted;
}

/** Undefined if this tool did not write the file, or for another day. */
async function contentIfOurs(path: string, day: string, duckDb: DuckDb): Promise<DayState | undefined> {
  const content = await fingerprint(path);
  try {
    const pattern = sqlText(fileGlob(path));
    const valuesOf = async (query: string) => (await duckDb.connection.runAndReadAll(query)).getRowsJson();
    const facts = `SELECT num_rows, created_by, (SELECT value::VARCHAR FROM parquet_kv_metadata(${pattern})
      WHERE key = ${sqlText(WRITER_KEY)}) FROM parquet_file_metadata(${pattern})`;
    const [[rows, ...writers] = []] = await valuesOf(facts);
    const columns = await columnsOfParquet(path, duckDb);
    const isOfDay =
      !columns.includes("crawl_date") ||
      (
        await valuesOf(`SELECT DISTINCT crawl_date::VARCHAR FROM read_parquet(${pattern}, hive_partitioning = false)`)
      ).join() === day;
    const expected = columns.includes("crawl_date") ? DAY_FILE.known : columnsOf(DAY_FILE);
    return writers.includes(PARQUET_WRITER) && columns.join() === expected.join() && isOfDay
      ? { rows: Number(rows), digest: "", ...content, counts: new Map() }
      : undefined;
  } catch {
    duckDb.signal.throwIfAborted();
    return undefined;
  }
}
