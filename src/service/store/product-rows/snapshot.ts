import type { Filters } from "../../../contract/filters.ts";
import type { Selection, Snapshot, Visibility } from "../store.ts";
import type { ColumnIndex } from "./column-index.ts";
import { countRows, isVisible, selectRows, type VersionRows } from "./selection.ts";

/** Memory of all cached selections, in bytes. The newest selection is cached whatever its size. */
const SELECTION_CACHE_BYTES = 64 * 1024 * 1024;

/** Approximate memory of a selection without its rows, and of a coverage entry. */
const SELECTION_BYTES = 1000;
const COVERAGE_ENTRY_BYTES = 400;

/** All versions of the data that an index contains. */
export interface Snapshots {
  newest: Snapshot;
  /** A version by its number; undefined if it never existed or its rows no longer exist. */
  at(version: number): Snapshot | undefined;
}

/** Earlier versions that are cached. The walks in progress use few versions. */
const KEPT_VERSIONS = 8;

/** Snapshots on the columns in memory. Their selections share a cache, which drops the least recently used ones. */
export function createSnapshots(index: ColumnIndex, cacheBytes = SELECTION_CACHE_BYTES): Snapshots {
  const kept = new Map<string, Selection>();
  const earlier = new Map<number, Snapshot>();
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

  function snapshotOf(version: number, rows: VersionRows): Snapshot {
    const vocabulary = index.vocabulary.filter((_, number) => rows.corpusRows[number] !== 0);
    return {
      version,
      combinations: (visible) => vocabulary.filter(({ retailer }) => isVisible(retailer, visible)),
      select: (filters, visible) => {
        const key = `${version} ${keyOf(filters, visible)}`;
        const known = kept.get(key);
        if (known !== undefined) {
          kept.delete(key);
          kept.set(key, known);
          return known;
        }
        const selection = selectRows(index, rows, filters, visible);
        keep(key, selection);
        return selection;
      },
    };
  }

  function versionAt(version: number): Snapshot | undefined {
    const extent = index.extents.get(version);
    const rows = extent === undefined ? undefined : countRows(index, extent.lastId);
    return rows === undefined || rows.total !== extent?.rows ? undefined : snapshotOf(version, rows);
  }

  const newest = snapshotOf(index.version, countRows(index, Number.POSITIVE_INFINITY));
  return {
    newest,
    at: (version) => {
      const snapshot = version === newest.version ? newest : (earlier.get(version) ?? versionAt(version));
      if (snapshot !== undefined && snapshot !== newest) {
        earlier.delete(version);
        earlier.set(version, snapshot);
      }
      for (const oldest of [...earlier.keys()].slice(0, -KEPT_VERSIONS)) {
        earlier.delete(oldest);
      }
      return snapshot;
    },
  };
}

function keyOf(filters: Filters, visible: Visibility): string {
  const { retailer, category, department, rcd, start_date, end_date } = filters;
  return JSON.stringify([retailer, category, department, rcd, start_date, end_date, visible?.toSorted()]);
}
