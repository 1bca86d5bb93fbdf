import { LRUCache } from "lru-cache";
import { summaryOf } from "../../../contract/coverage.ts";
import { combinationFilter } from "../../../contract/filter-match.ts";
import type { Filters } from "../../../contract/filters.ts";
import type { Session } from "../database/database-session.ts";
import type { ReadVersion } from "../standby.ts";
import type { Visibility } from "../store-types.ts";
import { type RowSet, readSampledRows } from "./pages.ts";
import {
  applyChanges,
  type CountedCombination,
  countsOn,
  coverageEntry,
  daysOf,
  readChanges,
  readCounts,
  retailersOf,
} from "./row-counts.ts";
import { changedRows, hasVersion } from "./versions.ts";

/** Maximum memory, in bytes, of each of two caches: the selections, and the samples with the coverages. */
const CACHE_BYTES = 32 * 1024 * 1024;

/** Approximate memory of a selection, and of a combination in it. */
const SELECTION_BYTES = 2_000;
const COMBINATION_BYTES = 16;

/** Versions whose counts are kept. They share the counts of combinations that are the same in both. */
const KEPT_VERSIONS = 8;

/** Changed rows from which on it takes longer to read what changed than to read all counts. */
const MANY_CHANGES = 10_000;

/** One version of the data; all reads of a snapshot are consistent. */
export type Snapshot = Awaited<ReturnType<ReturnType<typeof createSnapshots>>>;
/** The rows that match a set of filters in one version of the data. */
export type Selection = Awaited<ReturnType<Snapshot["select"]>>;

/**
 * Creates snapshots of one database. Requests share what one of them reads: counts, selections, samples and coverages. So a read
 * goes on when the request that began it ends.
 */
export function createSnapshots(read: ReadVersion, cacheBytes = CACHE_BYTES) {
  const snapshots = createCache<ReturnType<typeof snapshotOf>>(KEPT_VERSIONS, () => 1);
  const selections = createCache<ReturnType<typeof selectionOf>>(
    cacheBytes,
    ({ key, summary }) => SELECTION_BYTES + 2 * key.length + COMBINATION_BYTES * summary.combinations,
  );
  const texts = createCache<Buffer>(cacheBytes, ({ length }) => length + 1);

  /** The counts of a version: those of a known one, and what changed since. */
  async function countsOf(
    session: Session,
    version: number,
    known?: ReturnType<typeof snapshotOf>,
  ): Promise<CountedCombination[]> {
    if (known !== undefined && known.version < version) {
      const { added, removed } = await changedRows(session, known.version, version);
      const isLittle = added + removed < MANY_CHANGES;
      const changes = isLittle ? await readChanges(session, known.version, version) : [];
      // Asked after the reads: if the known version was deleted meanwhile, its removed rows were missing from them.
      if (isLittle && (await hasVersion(session, known.version))) {
        return applyChanges(known.combinations(null), changes);
      }
    }
    return await readCounts(session, version);
  }

  function snapshotOf(version: number, combinations: readonly CountedCombination[]) {
    return {
      /** Higher after every load that adds rows and every removal. */
      version,
      /** All combinations with rows that the team can see, sorted by retailer, department, category. */
      combinations: (visible: Visibility): readonly CountedCombination[] => seenBy(visible, combinations),
      /** The selection of valid filters. */
      select: (filters: Filters, visible: Visibility) =>
        selections(`${version} ${selectionKey(filters, visible)}`, async () =>
          selectionOf(version, combinations, filters, visible),
        ),
    };
  }

  function selectionOf(version: number, all: readonly CountedCombination[], filters: Filters, visible: Visibility) {
    const key = selectionKey(filters, visible);
    const wanted = seenBy(visible, all).filter(combinationFilter(filters));
    const days = daysOf(filters);
    // Computed when needed: to keep them would take more memory than all else of a selection.
    const counts = () => countsOn(days, wanted);
    const matching = counts();
    const coverage = () => counts().map(coverageEntry);
    const summary = summaryOf(matching);
    const combinations = matching.map(({ combination }) => combination);
    const listed = { ids: combinations.map(({ id }) => id), retailers: retailersOf(combinations) };
    const rowSet: RowSet = {
      version,
      days,
      listed: wanted.length === all.length ? undefined : listed,
      total: summary.matching_rows,
      stored: all.reduce((sum, { totals }) => sum + (totals.at(-1) ?? 0), 0),
    };
    return {
      /** Identifies the filters and the visibility. */
      key,
      summary,
      /** What its pages are read by. */
      rowSet,
      /** One entry per combination with at least one matching row, sorted by retailer, department, category. */
      coverage,
      /** The entries as JSON texts. */
      coverageTexts: (): Promise<Buffer> =>
        texts(`${version} coverage ${key}`, async () => Buffer.from(JSON.stringify(coverage()).slice(1, -1))),
      /** At most `most` rows, evenly spread over combinations and days. @throws Error if rows are missing that were counted */
      sample: (most: number): Promise<Buffer> =>
        texts(`${version} ${most} ${key}`, () =>
          read(version, (session) => readSampledRows(session, rowSet, counts(), most)),
        ),
    };
  }

  /** @param known another version, which is compared if it is earlier */
  return (version: number, known?: ReturnType<typeof snapshotOf>) =>
    snapshots(String(version), async () =>
      snapshotOf(version, await read(version, (session) => countsOf(session, version, known))),
    );
}

/** Caches values of `maxSize` in all; a larger one has the cache to itself. Simultaneous misses of a key compute its value once. */
function createCache<T extends object>(maxSize: number, sizeOf: (value: T) => number) {
  const cache = new LRUCache<string, T, () => Promise<T>>({
    maxSize,
    sizeCalculation: (value) => Math.min(maxSize, sizeOf(value)),
    fetchMethod: async (_key, _stale, { context }) => await context(),
    // Others wait for the value, even if it is evicted meanwhile.
    ignoreFetchAbort: true,
  });
  return (key: string, compute: () => Promise<T>): Promise<T> => cache.forceFetch(key, { context: compute });
}

function seenBy(visible: Visibility, combinations: readonly CountedCombination[]): readonly CountedCombination[] {
  const seen = new Set(visible);
  return visible === null ? combinations : combinations.filter(({ retailer }) => seen.has(retailer));
}

function selectionKey(filters: Filters, visible: Visibility): string {
  const { retailer, category, department, rcd, start_date, end_date } = filters;
  return JSON.stringify([retailer, category, department, rcd, start_date, end_date, visible?.toSorted()]);
}
