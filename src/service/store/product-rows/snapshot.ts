import { LRUCache } from "lru-cache";
import type { Coverage, CoverageSummary } from "../../../contract/coverage.ts";
import type { Filters, Rcd } from "../../../contract/filters.ts";
import type { ReadVersion } from "../replica.ts";
import type { RowTexts, Visibility } from "../store.ts";
import { readSampledRows } from "./pages.ts";
import type { CombinationCount, DayNumbers, RowSet } from "./row-counts.ts";
import {
  ALL_DAYS,
  combinationCounts,
  coverageEntry,
  daysOf,
  isVisible,
  summarise,
  wantedCounts,
} from "./row-counts.ts";

/** Maximum memory of all cached counts, and of all cached selections, in bytes. */
const CACHE_BYTES = 32 * 1024 * 1024;

/** Approximate memory of a selection with its sample, of a counted combination, and of one with its coverage entry and text. */
const SELECTION_BYTES = 62_000;
const COUNT_BYTES = 300;
const COVERED_COUNT_BYTES = 900;

interface CachedSelection {
  rows: RowSet;
  summary: CoverageSummary;
  /** Made when they are asked for. */
  coverage?: readonly Coverage[];
  sample?: Promise<RowTexts>;
}

/** One version of the data; all reads of a snapshot are consistent. */
export type Snapshot = Awaited<ReturnType<ReturnType<typeof createSnapshots>>>;
/** The rows that match a set of filters in one version of the data. */
export type Selection = ReturnType<typeof selectionOf>;

/**
 * Creates snapshots of one database. Requests share what one of them reads: counts, selections and samples. So a read does not end
 * with the request that began it.
 */
export function createSnapshots(read: ReadVersion, cacheBytes = CACHE_BYTES) {
  const counts = createCache<CombinationCount[]>(cacheBytes, ({ length }) => (1 + length) * COUNT_BYTES);
  const selections = createCache<CachedSelection>(
    cacheBytes,
    ({ summary }, key) => SELECTION_BYTES + 2 * key.length + summary.combinations * COVERED_COUNT_BYTES,
  );

  return async (version: number) => {
    const countsOf = (days: DayNumbers): Promise<CombinationCount[]> =>
      counts(`${version} ${days}`, async () => {
        const all = days.join() === ALL_DAYS.join() ? undefined : await countsOf(ALL_DAYS);
        return await read(version, (session) => combinationCounts(session, version, days, all));
      });
    const vocabulary = await countsOf(ALL_DAYS);
    return {
      /** Higher after every load that adds rows and every removal. */
      version,
      /** All combinations with rows that the team can see, sorted by retailer, department, category. */
      combinations: (visible: Visibility): readonly Rcd[] =>
        vocabulary.filter(({ retailer }) => isVisible(retailer, visible)),
      /** The selection of valid filters. */
      select: async (filters: Filters, visible: Visibility): Promise<Selection> => {
        const key = selectionKey(filters, visible);
        const cached = await selections(`${version} ${key}`, async () => {
          const days = daysOf(filters);
          const counted = await countsOf(days);
          const combinations = wantedCounts(counted, filters, visible);
          const summary = summarise(combinations);
          const isWhole = combinations.length === counted.length;
          const stored = vocabulary.reduce((sum, { corpus }) => sum + corpus, 0);
          return { rows: { version, days, combinations, isWhole, total: summary.matching_rows, stored }, summary };
        });
        return selectionOf(key, cached, read);
      },
    };
  };
}

function selectionOf(key: string, cached: CachedSelection, read: ReadVersion) {
  const { rows, summary } = cached;
  return {
    /** Identifies the filters and the visibility. */
    key,
    total: rows.total,
    summary,
    /** What the store reads them by. */
    rows,
    /** One entry per combination with at least one matching row, sorted by retailer, department, category. */
    coverage: (): readonly Coverage[] => {
      cached.coverage ??= rows.combinations.map(coverageEntry);
      return cached.coverage;
    },
    /** At most `most` rows, spread evenly over combinations and days, in the row order. It is read once. @throws DamagedDataError */
    sample: async (most: number): Promise<RowTexts> => {
      cached.sample ??= read(rows.version, (session) => readSampledRows(session, rows, most));
      try {
        return await cached.sample;
      } catch (error) {
        delete cached.sample;
        throw error;
      }
    },
  };
}

/** A cache that computes each value once, also for those that ask meanwhile. A value larger than the cache has it alone. */
function createCache<T extends object>(maxSize: number, sizeOf: (value: T, key: string) => number) {
  const cache = new LRUCache<string, T, () => Promise<T>>({
    maxSize,
    sizeCalculation: (value, key) => Math.min(maxSize, sizeOf(value, key)),
    fetchMethod: async (_key, _stale, { context }) => await context(),
    // Others wait for the value, even if it makes room meanwhile.
    ignoreFetchAbort: true,
  });
  return (key: string, compute: () => Promise<T>): Promise<T> => cache.forceFetch(key, { context: compute });
}

function selectionKey(filters: Filters, visible: Visibility): string {
  const { retailer, category, department, rcd, start_date, end_date } = filters;
  return JSON.stringify([retailer, category, department, rcd, start_date, end_date, visible?.toSorted()]);
}
