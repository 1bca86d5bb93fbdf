import { join } from "node:path";
import { ContractError } from "../../contract/errors.ts";
import { formatRcd, type Rcd } from "../../contract/filters.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { rowGroups } from "../../export/formats/parquet/parquet-rows.ts";
import { writeStaged } from "../../export/sink.ts";
import type { Fingerprint } from "../../files/fingerprint.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { batchOf } from "../../rows/scan.ts";
import { placeOfDay } from "../day-files.ts";
import type { DayState } from "../folder-state.ts";
import { type OpenParquetFile, openUnaltered } from "../parquet-file.ts";
import { placeDays, type SyncRun, stagedFile } from "./sync-run.ts";

/**
 * Removes the rows of some combinations from the day files, without requests. The file of a day without other rows is
 * removed. A file that differs from the state stays, and its day is added to the untrusted ones. Memory: one row group.
 *
 * @param gone combinations as `retailer:category:department`
 */
export async function dropCombinations(run: SyncRun, gone: ReadonlySet<string>): Promise<void> {
  const { state, untrusted } = run;
  const changes = new Map<string, DayState | undefined>();
  for (const [day, held] of Object.entries(state.days)) {
    const counts = Object.fromEntries(Object.entries(held.counts).filter(([rcd]) => !gone.has(rcd)));
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (rows === held.rows || untrusted.has(day)) {
      continue;
    }
    const content = rows === 0 ? undefined : await withoutCombinations(run, day, held, gone, rows);
    if (content === undefined && rows > 0) {
      untrusted.add(day);
      continue;
    }
    // The digest needs the original texts of the rows, which the file does not have.
    changes.set(day, content && { ...held, ...content, rows, counts, digest: "" });
    run.counts.rowsRemoved += held.rows - rows;
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
  day: string,
  held: DayState,
  gone: ReadonlySet<string>,
  expected: number,
): Promise<Fingerprint | undefined> {
  const source = await openUnaltered(join(run.options.folder, placeOfDay(day)), held);
  if (source === undefined) {
    return undefined;
  }
  try {
    const kept = rowsWithout(gone, source);
    const { rows, ...written } = await writeStaged(stagedFile(run, day), kept, run.options.createEncoder());
    return rows === expected ? written : undefined;
  } catch (error) {
    if (error instanceof ContractError) {
      return undefined;
    }
    throw error;
  } finally {
    await source.close();
  }
}

async function* rowsWithout(
  gone: ReadonlySet<string>,
  { buffer }: OpenParquetFile,
): AsyncGenerator<RowBatch, void, void> {
  for await (const rows of rowGroups(buffer, PRODUCT_COLUMNS)) {
    yield batchOf(rows.filter((row) => !gone.has(formatRcd(row as unknown as Rcd))).map((row) => JSON.stringify(row)));
  }
}
