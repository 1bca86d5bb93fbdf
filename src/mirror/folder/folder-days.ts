import { formatRcd, type Rcd } from "../../contract/filters.ts";
import type { DiffSource } from "../../diff/compare.ts";
import { COMPARED_COLUMNS } from "../../diff/product-facts.ts";
import { rowGroups } from "../../export/parquet-groups.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { batchOf } from "../../rows/scan.ts";
import { notParquet } from "./parquet-file.ts";
import type { SyncedDay } from "./synced-day.ts";

/** Rows that are converted to text at once. */
const CONVERTED_ROWS = 1000;

/** Characters after which fewer rows are enough: long texts of a file may be one text, named by every row. */
const CONVERTED_LENGTH = 16 * 1024 ** 2;

/**
 * The days of a synced folder, with the rows of the combinations for which `isWanted` is true. The rows of a day are
 * sorted by retailer, so few row groups are read twice.
 */
export function folderDays(
  days: ReadonlyMap<string, SyncedDay>,
  { isWanted, signal }: { isWanted: (combination: Rcd) => boolean; signal: AbortSignal },
): DiffSource {
  const wanted = (day: string) => (days.get(day)?.combinations ?? []).filter(isWanted);
  return {
    retailersAtOnce: Number.POSITIVE_INFINITY,
    countRows: async (day) => wanted(day).map(({ retailer, rows }) => [retailer, rows]),
    read: async (day, retailers, sink, onRows) => {
      const combinations = wanted(day).filter(({ retailer }) => retailers?.includes(retailer) ?? true);
      let rows = 0;
      for await (const batch of rowsOfDay(days.get(day), combinations)) {
        signal.throwIfAborted();
        await sink.write(batch);
        rows += batch.length;
        onRows(rows);
      }
      return rows;
    },
  };
}

/**
 * Rows of some combinations of a day, with the members that a comparison needs. Row groups without rows of their retailers
 * are skipped.
 *
 * @param day undefined has no rows
 * @throws FileError if the file is not a Parquet file
 */
export async function* rowsOfDay(
  day: SyncedDay | undefined,
  combinations: readonly Rcd[],
): AsyncGenerator<RowBatch, void, undefined> {
  if (day === undefined) {
    return;
  }
  const isWhole = combinations.length === day.combinations.length;
  const retailers = [...new Set(combinations.map(({ retailer }) => retailer))];
  const only = isWhole ? undefined : { column: "retailer", values: retailers };
  const wanted = new Set(combinations.map(formatRcd));
  try {
    for await (const rows of rowGroups(day.buffer, COMPARED_COLUMNS, only)) {
      const kept = isWhole ? rows : rows.filter((row) => wanted.has(formatRcd(row as unknown as Rcd)));
      let texts: string[] = [];
      let length = 0;
      for (const row of kept) {
        const text = rowText(row);
        length += text.length;
        texts.push(text);
        if (texts.length === CONVERTED_ROWS || length >= CONVERTED_LENGTH) {
          yield batchOf(texts, COMPARED_COLUMNS);
          [texts, length] = [[], 0];
        }
      }
      if (texts.length > 0) {
        yield batchOf(texts, COMPARED_COLUMNS);
      }
    }
  } catch (error) {
    throw notParquet(day.path, error);
  }
}

/** The title of a row is null if the file was written without titles. @throws Error if a row lacks anything else */
function rowText(row: Record<string, unknown>): string {
  const whole = { title: null, ...row };
  const lacking = COMPARED_COLUMNS.find((name) => !(name in whole));
  if (lacking !== undefined) {
    throw new Error(`it has no column ${lacking}`);
  }
  return JSON.stringify(whole);
}
