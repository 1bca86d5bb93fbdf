import { join } from "node:path";
import { COPY_OPTIONS, PARQUET_MEMORY } from "../../export/formats/parquet.ts";
import { columnsOf } from "../../export/formats/row-members.ts";
import { type DuckDb, fileGlob, openDuckDb, sqlText } from "../../files/duckdb.ts";
import { type Fingerprint, fingerprint } from "../../files/fingerprint.ts";
import { openOwnFile, removeOwnFile } from "../../files/own-file.ts";
import { withFileError } from "../../files/system-error.ts";
import { hasContent } from "../check-day.ts";
import { DAY_FILE, placeOfDay } from "../day-files.ts";
import type { DayState } from "../day-state.ts";
import { placeDays, type SyncRun, stagedFile } from "./sync-run.ts";

/**
 * Removes the rows of some combinations from the day files of the window, without requests. The file of a day without other
 * rows is removed. A file that differs from the state stays, and its day is added to the untrusted ones. Of days outside the
 * window it is not known what the service has, so they stay as they are.
 *
 * @param gone combinations as `retailer:category:department`
 */
export async function dropCombinations(run: SyncRun, gone: ReadonlySet<string>): Promise<void> {
  const { state, untrusted, isInWindow } = run;
  if (gone.size === 0) {
    return;
  }
  const changes = new Map<string, DayState | undefined>();
  await using duckDb = await openDuckDb({ threads: 1, memory: PARQUET_MEMORY, signal: run.options.signal });
  for (const [day, stored] of Object.entries(state.days)) {
    const counts = new Map([...stored.counts].filter(([rcd]) => !gone.has(rcd)));
    const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if (rows === stored.rows || untrusted.has(day) || !isInWindow(day)) {
      continue;
    }
    const content = rows === 0 ? undefined : await withoutCombinations(run, duckDb, day, stored, gone, rows);
    if (content === undefined && rows > 0) {
      untrusted.add(day);
      continue;
    }
    // The digest needs the original texts of the rows, which the file does not have.
    changes.set(day, content && { ...stored, ...content, rows, counts, digest: "" });
    run.counts.rowsRemoved += stored.rows - rows;
    run.counts.daysRemoved += rows === 0 ? 1 : 0;
    run.changed.add(day);
  }
  await placeDays(run, changes);
}

/**
 * Writes a day's new file, with `expected` rows, in the staging folder. Returns undefined if the current file differs
 * from the state, or lacks a column, because another version wrote it.
 */
async function withoutCombinations(
  run: SyncRun,
  { connection }: DuckDb,
  day: string,
  stored: DayState,
  gone: ReadonlySet<string>,
  expected: number,
): Promise<Fingerprint | undefined> {
  const source = join(run.options.folder, placeOfDay(day));
  if (!(await hasContent(source, stored))) {
    return undefined;
  }
  const target = stagedFile(run, day);
  await removeOwnFile(target);
  const kept = `SELECT ${columnsOf(DAY_FILE).join(", ")} FROM read_parquet(${sqlText(fileGlob(source))}, hive_partitioning = false)
    WHERE concat_ws(':', retailer, category, department) NOT IN (${[...gone].map(sqlText).join(", ")})`;
  try {
    const written = await connection.runAndReadAll(`COPY (${kept}) TO ${sqlText(target)} (${COPY_OPTIONS})`);
    if (Number(written.getRows()[0]?.[0]) !== expected) {
      return undefined;
    }
  } catch {
    run.options.signal.throwIfAborted();
    return undefined;
  }
  const opened = await openOwnFile(target);
  try {
    await withFileError(target, () => opened.sync());
    return await fingerprint(target, { opened });
  } finally {
    await opened.close();
  }
}
