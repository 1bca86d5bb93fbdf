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

/** Snapshots on the columns in memory. */
export function createSnapshots(index: ColumnIndex, cacheBytes = SELECTION_CACHE_BYTES): Snapshots {
  const selections = createCache<Selection>(cacheBytes, (key, { total, coverage }) => {
    const ids = total === index.ids.length ? 0 : total * Uint32Array.BYTES_PER_ELEMENT;
    return SELECTION_BYTES + 2 * key.length + ids + coverage.length * COVERAGE_ENTRY_BYTES;
  });
  const earlier = createCache<Snapshot | undefined>(KEPT_VERSIONS, () => 1);

  function snapshotOf(version: number, rows: VersionRows): Snapshot {
    const vocabulary = index.vocabulary.filter((_, number) => rows.corpusRows[number] !== 0);
    return {
      version,
      combinations: (visible) => vocabulary.filter(({ retailer }) => isVisible(retailer, visible)),
      select: (filters, visible) =>
        selections(`${version} ${selectionKey(filters, visible)}`, () => selectRows(index, rows, filters, visible)),
    };
  }

  function versionAt(version: number): Snapshot | undefined {
    const extent = index.extents.get(version);
    const rows = extent === undefined ? undefined : countRows(index, extent);
    return rows === undefined || rows.total !== extent?.rows ? undefined : snapshotOf(version, rows);
  }

  const newest = snapshotOf(
    index.version,
    countRows(index, { lastId: Number.POSITIVE_INFINITY, place: index.extents.size }),
  );
  return {
    newest,
    at: (version) => (version === newest.version ? newest : earlier(String(version), () => versionAt(version))),
  };
}

/** A cache that drops the least recently used values while its size is over `most`. The newest value always stays. */
function createCache<T>(most: number, sizeOf: (key: string, value: T) => number) {
  const kept = new Map<string, { value: T; size: number }>();
  let total = 0;
  return (key: string, compute: () => T): T => {
    let entry = kept.get(key);
    if (entry === undefined) {
      const value = compute();
      entry = { value, size: sizeOf(key, value) };
      total += entry.size;
    }
    kept.delete(key);
    kept.set(key, entry);
    for (const [oldest, { size }] of kept) {
      if (total <= most || oldest === key) {
        break;
      }
      kept.delete(oldest);
      total -= size;
    }
    return entry.value;
  };
}

function selectionKey(filters: Filters, visible: Visibility): string {
  const { retailer, category, department, rcd, start_date, end_date } = filters;
  return JSON.stringify([retailer, category, department, rcd, start_date, end_date, visible?.toSorted()]);
}
