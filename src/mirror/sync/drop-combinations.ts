import { join } from "node:path";
import { parquetScan } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { formatRcd } from "../../contract/filters.ts";
import { fingerprint } from "../../export/manifest.ts";
import { boundedMetadata } from "../../export/parquet-bounds.ts";
import { openFile } from "../../output/destination/file.ts";
import { PARQUET_WRITER } from "../../output/formats/parquet/parquet.ts";
import { DAY_FILE, placeOfDay } from "../folder/day-files.ts";
import type { DayState } from "../folder/folder-state.ts";
import { type OpenParquetFile, openUnaltered, STORED_VALUES } from "../folder/parquet-file.ts";
import { placeDays, stagedFile } from "./place.ts";
import type { SyncRun } from "./sync-run.ts";

/** The new files are moved into place when they have this number of rows together. */
const PLACED_ROWS = 200_000;

/**
 * Removes the rows of some combinations from the day files, without requests. The file of a day without other rows is
 * removed. A file that differs from the state stays, and its day is added to the untrusted ones. Memory: one row group.
 *
 * @param gone combinations as `retailer:category:department`
 */
export async function dropCombinations(run: SyncRun, gone: ReadonlySet<string>): Promise<void> {
  const { state, untrusted } = run;
  let batch = { replaced: new Map<string, DayState>(), removed: [] as string[], rows: 0 };
  const finish = async () => {
    await placeDays(run, batch);
    batch = { replaced: new Map(), removed: [], rows: 0 };
  };
  for (const [day, held] of Object.entries(state.days)) {
    const counts = Object.fromEntries(Object.entries(held.counts).filter(([rcd]) => !gone.has(rcd)));
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (rows === held.rows || untrusted.has(day)) {
      continue;
    }
    if (rows === 0) {
      batch.removed.push(day);
      run.counts.daysRemoved += 1;
    } else {
      const content = await withoutCombinations(run, day, held, gone, rows);
      if (content === undefined) {
        untrusted.add(day);
        continue;
      }
      // The digest needs the original texts of the rows, which the file does not have.
      batch.replaced.set(day, { ...held, ...content, rows, counts, digest: "" });
    }
    run.counts.rowsRemoved += held.rows - rows;
    run.counts.daysChanged += 1;
    batch.rows += rows;
    if (batch.rows >= PLACED_ROWS) {
      await finish();
    }
  }
  await finish();
}

/**
 * Writes a day's new file, with `expected` rows, in the staging folder. Returns undefined if the current file differs
 * from the state.
 */
async function withoutCombinations(
  run: SyncRun,
  day: string,
  held: DayState,
  gone: ReadonlySet<string>,
  expected: number,
): Promise<{ bytes: number; sha256: string } | undefined> {
  const source = await openUnaltered(join(run.options.folder, placeOfDay(day)), held);
  if (source === undefined) {
    return undefined;
  }
  const staged = stagedFile(run, day);
  try {
    const kept = await copyRows(source, staged, (rcd) => !gone.has(rcd));
    return kept === expected && held.rows > kept ? await fingerprint(staged) : undefined;
  } finally {
    await source.close();
  }
}

/** Copies the rows of some combinations with their stored values, row group by row group. Leaves out the day. */
async function copyRows(
  { buffer }: OpenParquetFile,
  target: string,
  isKept: (rcd: string) => boolean,
): Promise<number> {
  const metadata = await boundedMetadata(buffer, STORED_VALUES);
  const scan = await parquetScan({ file: buffer, metadata, parsers: STORED_VALUES });
  const [root, ...all] = scan.metadata.schema;
  const columns = all.filter(({ name }) => !DAY_FILE.partitionedBy.includes(name));
  const schema = [{ ...root, name: root?.name ?? "schema", num_children: columns.length }, ...columns];
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({ writer: bytes, schema, createdBy: PARQUET_WRITER });
  const file = await openFile(target);
  let rows = 0;
  const flush = async () => {
    await file.write(bytes.getBytes().slice());
    bytes.index = 0;
  };
  try {
    for (const range of scan.ranges) {
      const column = async (name: string) => await scan.readColumn({ column: name, ...range });
      const [retailers = [], categories = [], departments = []] = await Promise.all(
        ["retailer", "category", "department"].map(column),
      );
      const kept = Array.from({ length: range.rowEnd - range.rowStart }, (_, index) => index).filter((index) =>
        isKept(formatRcd({ retailer: retailers[index], category: categories[index], department: departments[index] })),
      );
      if (kept.length > 0) {
        const columnData = [];
        for (const { name } of columns) {
          const values = await column(name);
          columnData.push({ name, data: kept.map((index) => values[index] as unknown), offsetIndex: false });
        }
        writer.write({ columnData, rowGroupSize: kept.length });
        writer.pendingIndexes.length = 0;
        rows += kept.length;
        await flush();
      }
    }
    writer.finish();
    await flush();
    await file.finish();
  } catch (error) {
    await file.abandon();
    throw error;
  }
  return rows;
}
