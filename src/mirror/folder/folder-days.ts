import type { Rcd } from "../../contract/filters.ts";
import type { DiffSource } from "../../diff/compare.ts";
import { COMPARED_COLUMNS } from "../../diff/product-facts.ts";
import type { SyncedDay } from "./synced-day.ts";

/**
 * The days of a synced folder, with the rows of the combinations for which `isWanted` is true. Row groups without rows of the wanted retailers are skipped. The rows of a day are sorted
 * by retailer, so few groups are read twice.
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
      for await (const batch of days.get(day)?.rows(combinations, COMPARED_COLUMNS) ?? []) {
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
