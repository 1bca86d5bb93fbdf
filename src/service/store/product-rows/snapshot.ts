import { LRUCache } from "lru-cache";
import { summaryOf } from "../../../contract/coverage.ts";
import type { Filters, Rcd } from "../../../contract/filters.ts";
import type { ReadVersion } from "../replica.ts";
import type { RowTexts, Visibility } from "../store.ts";
import { readSampledRows } from "./pages.ts";
import type { CombinationCount, DayNumbers, RowSet } from "./row-counts.ts";
import { ALL_DAYS, combinationCounts, coverageEntry, daysOf, isVisible, wantedCounts } from "./row-counts.ts";

/** Maximum memory of all cached counts, and of all cached selections, in bytes. */
const CACHE_BYTES = 32 * 1024 * 1024;

/** Approximate memory of a selection with its sample, of a counted combination, and of one with its coverage entry and text. */
const SELECTION_BYTES = 62_000;
const COUNT_BYTES = 300;
const COVERED_COUNT_BYTES = 900;

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
  const selections = createCache<Selection>(
    cacheBytes,
    ({ coverage }, key) => SELECTION_BYTES + 2 * key.length + coverage.length * COVERED_COUNT_BYTES,
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
      select: (filters: Filters, visible: Visibility) => {
        const key = selectionKey(filters, visible);
        return selections(`${version} ${key}`, async () => {
          const days = daysOf(filters);
          const counted = await countsOf(days);
          const combinations = wantedCounts(counted, filters, visible);
          const isWhole = combinations.length === counted.length;
          const stored = vocabulary.reduce((sum, { corpus }) => sum + corpus, 0);
          return selectionOf(read, key, { version, days, combinations, isWhole, stored });
        });
      },
    };
  };
}

function selectionOf(read: ReadVersion, key: string, set: Omit<RowSet, "total">) {
  const coverage = set.combinations.map(coverageEntry);
  const summary = summaryOf(coverage);
  const rows: RowSet = { ...set, total: summary.matching_rows };
  let sampled: Promise<RowTexts> | undefined;
  return {
    /** Identifies the filters and the visibility. */
    key,
    total: rows.total,
    summary,
    /** What the store reads them by. */
    rows,
    /** One entry per combination with at least one matching row, sorted by retailer, department, category. */
    coverage,
    /** At most `most` rows, evenly spread over combinations and days. They are read once. @throws DamagedDataError */
    sample: async (most: number): Promise<RowTexts> => {
      sampled ??= read(rows.version, (session) => readSampledRows(session, rows, most));
      try {
        return await sampled;
      } catch (error) {
        sampled = undefined;
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
