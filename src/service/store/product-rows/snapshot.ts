import type { Coverage, CoverageSummary } from "../../../contract/coverage.ts";
import type { Filters } from "../../../contract/filters.ts";
import type { Session } from "../database/database-connection.ts";
import { DamagedDataError, type Selection, type Snapshot, type Visibility } from "../store.ts";
import {
  ALL_DAYS,
  type CombinationCount,
  coverageEntry,
  type DayRange,
  daysOf,
  isVisible,
  readCounts,
  summarise,
  wantedCounts,
} from "./row-counts.ts";
import { type RowSet, readAllIds, readNextIds, readSpreadIds } from "./row-ids.ts";

/** The ids of a selection of at most this many rows are read at once and kept, 8 bytes each. */
const LISTED_ROWS = 65_536;

/** Counts of rows by version and days, and selections, that are kept. The walks in progress use few. */
const KEPT_COUNTS = 32;
const KEPT_SELECTIONS = 64;

interface KeptSelection {
  rows: RowSet;
  summary: CoverageSummary;
  wanted: readonly CombinationCount[];
  /** All ids, and the coverage, once they were asked for. */
  ids?: readonly number[];
  coverage?: readonly Coverage[];
}

/** Runs the statements of `work`. @throws StaleSnapshotError if the database was replaced after the snapshot was read */
type Read = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

/** Creates snapshots of one database file. */
export function createSnapshots(listedRows = LISTED_ROWS) {
  const counts = createCache<CombinationCount[]>(KEPT_COUNTS);
  const selections = createCache<KeptSelection>(KEPT_SELECTIONS);

  return async (version: number, read: Read): Promise<Snapshot> => {
    const countsOf = (days: DayRange) =>
      counts(`${version} ${days}`, () => read((session) => readCounts(session, version, days)));
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
          const isWhole = wanted.length === counted.filter(({ matching }) => matching > 0).length;
          const combinations = isWhole ? undefined : JSON.stringify(wanted.map(({ id }) => id));
          return { rows: { version, days, combinations }, summary: summarise(wanted), wanted };
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
      const position = { offset, after };
      return length === 0
        ? []
        : complete(await read((session) => readNextIds(session, rows, position, length)), length);
    },
    spreadIds: async (most) => {
      const length = Math.min(total, most);
      const offsets = Array.from({ length }, (_, index) => Math.floor((index * total) / length));
      if (total <= listedRows) {
        const ids = await listed();
        return offsets.flatMap((offset) => ids[offset] ?? []);
      }
      return complete(await read((session) => readSpreadIds(session, rows, offsets)), length);
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

/** A cache that drops the least recently used value when it has more than `most`. */
function createCache<T>(most: number) {
  const kept = new Map<string, T>();
  return async (key: string, compute: () => Promise<T>): Promise<T> => {
    const value = kept.get(key) ?? (await compute());
    kept.delete(key);
    kept.set(key, value);
    for (const oldest of [...kept.keys()].slice(0, -most)) {
      kept.delete(oldest);
    }
    return value;
  };
}

function selectionKey(filters: Filters, visible: Visibility): string {
  const { retailer, category, department, rcd, start_date, end_date } = filters;
  return JSON.stringify([retailer, category, department, rcd, start_date, end_date, visible?.toSorted()]);
}
