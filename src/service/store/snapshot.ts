import type { ColumnIndex } from "./column-index.ts";
import { isVisible, selectRows } from "./selection.ts";
import type { Selection, SelectionFilters, Snapshot, Visibility } from "./store.ts";

/** Bytes of selections that one version of the data keeps; the newest selection is kept whatever its size. */
export const SELECTION_CACHE_BYTES = 64 * 1024 * 1024;

/** Memory of a selection without its rows, and of one coverage entry, roughly. */
const SELECTION_BYTES = 1000;
const COVERAGE_ENTRY_BYTES = 400;

/** A snapshot over the columns in memory, with its selections kept by least recent use. */
export function createSnapshot(index: ColumnIndex, cacheBytes = SELECTION_CACHE_BYTES): Snapshot {
  const kept = new Map<string, Selection>();
  let bytes = 0;

  function sizeOf(key: string, { total, coverage }: Selection): number {
    const ids = total === index.ids.length ? 0 : total * Uint32Array.BYTES_PER_ELEMENT;
    return SELECTION_BYTES + 2 * key.length + ids + coverage.length * COVERAGE_ENTRY_BYTES;
  }

  function keep(key: string, selection: Selection): void {
    kept.set(key, selection);
    bytes += sizeOf(key, selection);
    for (const [oldest, dropped] of kept) {
      if (bytes <= cacheBytes || oldest === key) {
        return;
      }
      kept.delete(oldest);
      bytes -= sizeOf(oldest, dropped);
    }
  }

  return {
    version: index.version,
    combinations: (visible) => index.vocabulary.filter(({ retailer }) => isVisible(retailer, visible)),
    select: (filters, visible) => {
      const key = keyOf(filters, visible);
      const known = kept.get(key);
      if (known !== undefined) {
        kept.delete(key);
        kept.set(key, known);
        return known;
      }
      const selection = selectRows(index, filters, visible);
      keep(key, selection);
      return selection;
    },
  };
}

function keyOf(filters: SelectionFilters, visible: Visibility): string {
  const { retailer, category, department, combinations, startDate, endDate } = filters;
  return JSON.stringify([retailer, category, department, combinations, startDate, endDate, visible?.toSorted()]);
}
