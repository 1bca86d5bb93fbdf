import type { Rcd } from "../../contract/filters.ts";
import { LISTING_COLUMNS } from "../../diff/listing.ts";
import type { DiffSource } from "../../diff/source.ts";
import type { SyncedDay } from "./synced-day.ts";

export interface FolderDaysOptions {
  /** Whether the rows of a combination are compared. */
  isWanted: (combination: Rcd) => boolean;
  signal: AbortSignal;
}

/**
 * The days of a synced folder. Row groups without rows of the wanted retailers are skipped. The rows of a day are sorted
 * by retailer, so few groups are read twice.
 */
export function folderDays(days: ReadonlyMap<string, SyncedDay>, { isWanted, signal }: FolderDaysOptions): DiffSource {
  const wanted = (day: string) => (days.get(day)?.combinations ?? []).filter(isWanted);
  return {
    retailersAtOnce: Number.POSITIVE_INFINITY,
    countRows: async (day) => {
      const counts = new Map<string, number>();
      for (const { retailer, rows } of wanted(day)) {
        counts.set(retailer, (counts.get(retailer) ?? 0) + rows);
      }
      return counts;
    },
    read: async (day, retailers, sink, onRows) => {
      const combinations = wanted(day).filter(({ retailer }) => retailers?.includes(retailer) ?? true);
      let rows = 0;
      for await (const batch of days.get(day)?.rows(combinations, LISTING_COLUMNS) ?? []) {
        signal.throwIfAborted();
        await sink.write(batch);
        rows += batch.length;
        onRows(rows);
      }
      await sink.endSlice({ key: day, filters: { start_date: day, end_date: day }, rows });
      return rows;
    },
  };
}
