import type { Coverage, CoverageSummary } from "../../../contract/coverage.ts";
import type { Filters } from "../../../contract/filters.ts";
import type { Session } from "../database/database-session.ts";
import { DamagedDataError, type Selection, type Snapshot, type Visibility } from "../store.ts";
import {
  ALL_DAYS,
  type CombinationCount,
  checkCounts,
  coverageEntry,
  type DayNumbers,
  daysOf,
  isVisible,
  readCounts,
  summarise,
  wantedCounts,
} from "./row-counts.ts";
import { type RowSet, readAllIds, readPageIds, readSpreadIds } from "./row-ids.ts";
import { hasVersion } from "./versions.ts";

/** The ids of a selection of at most this many rows are read at once and kept. */
const LISTED_ROWS = 65_536;
const ID_BYTES = 8;

/** To find and sort a row takes about as long as to pass by this many rows in order. */
const SORTING_COST = 16;

/** Memory of all kept counts, and of all kept selections, in bytes. The newest value is kept whatever its size. */
const CACHE_BYTES = 32 * 1024 * 1024;

/**
 * Approximate memory of a selection without its rows and combinations, of the counts of a combination, and of these with
 * the coverage entry and its text. Each selection counts with all that it may come to keep.
 */
const SELECTION_BYTES = 2_000;
const COUNT_BYTES = 300;
const COVERED_COUNT_BYTES = 900;

interface KeptSelection {
  rows: RowSet;
  summary: CoverageSummary;
  wanted: readonly CombinationCount[];
  /** All ids, those of a sample, and the coverage, once they were asked for. */
  ids?: readonly number[];
  sampleIds?: readonly number[];
  coverage?: readonly Coverage[];
}

/** Runs the statements of `work`. @throws StaleSnapshotError if the database was replaced after the snapshot was read */
type Read = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

/**
 * Creates snapshots of one database file. Each is read by `read`, which ends at the deadline of a request. A comparison of
 * all rows goes on after it (`readToEnd`), so that it does not begin anew with each request.
 */
export function createSnapshots(listedRows = LISTED_ROWS, cacheBytes = CACHE_BYTES) {
  const counts = createCache<CombinationCount[]>(cacheBytes, (_, { length }) => length * COUNT_BYTES);
  const selections = createCache<KeptSelection>(cacheBytes, (key, { summary }) => {
    const ids = summary.matching_rows <= listedRows ? summary.matching_rows * ID_BYTES : 0;
    return SELECTION_BYTES + 2 * key.length + ids + summary.combinations * COVERED_COUNT_BYTES;
  });
  /** Versions whose counts are right. */
  const compared = new Set<number>();

  async function compare(session: Session, version: number): Promise<void> {
    if (session.dialect.comparesCounts && !compared.has(version)) {
      const last = [...compared].at(-1) ?? 0;
      // Without the rows that were removed between both, they cannot be compared.
      await checkCounts(session, version, (await hasVersion(session, last)) ? last : 0);
    }
    compared.add(version);
  }

  return async (version: number, read: Read, readToEnd = read): Promise<Snapshot> => {
    const countsOf = (days: DayNumbers) =>
      counts(`${version} ${days}`, async () => {
        if (!compared.has(version)) {
          await readToEnd((session) => compare(session, version));
        }
        return await read((session) => readCounts(session, version, days));
      });
    const vocabulary = await countsOf(ALL_DAYS);
    return {
      version,
      combinations: (visible) => vocabulary.filter(({ retailer }) => isVisible(retailer, visible)),
      select: async (filters, visible) => {
        const key = selectionKey(filters, visible);
        const kept = await selections(`${version} ${key}`, async () => {
          const days = daysOf(filters);
          const counted = await countsOf(days);
          const wanted = wantedCounts(counted, filters, visible);
          const summary = summarise(wanted);
          const stored = counted.reduce((sum, { corpus }) => sum + corpus, 0);
          const isSorted = summary.matching_rows <= Math.min(listedRows, stored / SORTING_COST);
          const isWhole = wanted.length === counted.filter(({ matching }) => matching > 0).length;
          const combinations = isWhole && !isSorted ? undefined : wanted.map(({ id }) => id);
          return { rows: { version, days, combinations, isSorted }, summary, wanted };
        });
        return selectionOf(key, kept, read, listedRows);
      },
    };
  };
}

function selectionOf(key: string, kept: KeptSelection, read: Read, listedRows: number): Selection {
  const { rows, summary, wanted } = kept;
  const total = summary.matching_rows;

  async function listed(): Promise<readonly number[]> {
    kept.ids ??= complete(await read((session) => readAllIds(session, rows)), total);
    return kept.ids;
  }

  return {
    key,
    total,
    summary,
    coverage: () => {
      kept.coverage ??= wanted.map(coverageEntry);
      return kept.coverage;
    },
    ids: async (offset, limit, after) => {
      if (total <= listedRows) {
        return (await listed()).slice(offset, offset + limit);
      }
      const length = Math.max(0, Math.min(limit, total - offset));
      const position = { offset, after, following: total - offset - length };
      return length === 0
        ? []
        : complete(await read((session) => readPageIds(session, rows, position, length)), length);
    },
    spreadIds: async (most) => {
      const length = Math.min(total, most);
      if (total <= listedRows) {
        const ids = await listed();
        return Array.from({ length }, (_, index) => ids[Math.floor((index * total) / length)] ?? []).flat();
      }
      if (kept.sampleIds?.length !== length) {
        kept.sampleIds = complete(await read((session) => readSpreadIds(session, rows, total, length)), length);
      }
      return kept.sampleIds;
    },
  };
}

/** @throws DamagedDataError if there are fewer ids than the counts of rows say */
function complete(ids: number[], length: number): number[] {
  if (ids.length !== length) {
    throw new DamagedDataError(`the database has ${ids.length} rows where it counted ${length}`);
  }
  return ids;
}

/** A cache that drops the least recently used values while its size is over `most`. The newest value always stays. */
function createCache<T>(most: number, sizeOf: (key: string, value: T) => number) {
  const kept = new Map<string, { value: T; size: number }>();
  let total = 0;

  function drop(key: string): void {
    total -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  }

  return async (key: string, compute: () => Promise<T>): Promise<T> => {
    const value = kept.get(key)?.value ?? (await compute());
    const size = sizeOf(key, value);
    drop(key);
    kept.set(key, { value, size });
    total += size;
    for (const oldest of kept.keys()) {
      if (total <= most || oldest === key) {
        break;
      }
      drop(oldest);
    }
    return value;
  };
}

function selectionKey(filters: Filters, visible: Visibility): string {
  const { retailer, category, department, rcd, start_date, end_date } = filters;
  return JSON.stringify([retailer, category, department, rcd, start_date, end_date, visible?.toSorted()]);
}
