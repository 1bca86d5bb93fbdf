import { groupBy } from "../../contract/values/group-by.ts";
import type { SyncState } from "../folder-state.ts";
import { readDay } from "./day-columns.ts";

/**
 * The addresses of some rows of a synced folder. They are read from the files of their days, because the index of prices
 * would be twice as large with them. A file of a version without the column gives none.
 *
 * @param rows the day (`YYYY-MM-DD`) and the number in its file of each
 * @returns the address of one of the same objects
 * @throws FileError if a day's file is missing or was altered
 */
export async function addressesOf<Row extends { day: string; place: number }>(
  synced: { folder: string; state: SyncState; signal: AbortSignal },
  rows: readonly Row[],
): Promise<(row: Row) => string | undefined> {
  const addresses = new Map<Row, string>();
  for (const [day, wanted] of groupBy(rows, (row) => row.day)) {
    synced.signal.throwIfAborted();
    await readDay(synced, day, ["url"], ({ columns: { url } }) => {
      for (const row of wanted) {
        const address = url?.[row.place];
        if (typeof address === "string") {
          addresses.set(row, address);
        }
      }
    });
  }
  return (row) => addresses.get(row);
}
