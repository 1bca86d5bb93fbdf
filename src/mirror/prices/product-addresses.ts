import { columnChunks } from "../../output/formats/parquet/parquet-rows.ts";
import type { SyncState } from "../folder/folder-state.ts";
import { notParquet } from "../folder/parquet-file.ts";
import { openDay } from "../folder/synced-day.ts";

/** A row of a synced folder. */
export interface PlacedRow {
  /** `YYYY-MM-DD`. */
  day: string;
  /** Its number in the file of the day. */
  place: number;
}

/**
 * The addresses of some rows of a synced folder. They are read from the files of their days, because the index of prices
 * would be twice as large with them. A file of a version without the column gives none.
 *
 * @returns the address of one of the same objects
 * @throws FileError if a day's file is missing or was altered
 */
export async function addressesOf<Row extends PlacedRow>(
  { folder, state, signal }: { folder: string; state: SyncState; signal: AbortSignal },
  rows: readonly Row[],
): Promise<(row: Row) => string | undefined> {
  const addresses = new Map<Row, string>();
  const days = new Map<string, Row[]>();
  for (const row of rows) {
    const ofDay = days.get(row.day) ?? [];
    days.set(row.day, ofDay);
    ofDay.push(row);
  }
  for (const [day, wanted] of days) {
    signal.throwIfAborted();
    const opened = await openDay(folder, day, state);
    if (opened === undefined) {
      continue;
    }
    try {
      const { columns } = await columnChunks(opened.buffer, ["url"]);
      for (const row of wanted) {
        const url = columns.url?.[row.place];
        if (typeof url === "string") {
          addresses.set(row, url);
        }
      }
    } catch (error) {
      throw notParquet(opened.path, error);
    } finally {
      await opened.close();
    }
  }
  return (row) => addresses.get(row);
}
