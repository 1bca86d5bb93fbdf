import type { CatalogClient } from "../../api/client.ts";
import type { Coverage } from "../../contract/coverage.ts";
import type { Filters } from "../../contract/filters.ts";
import type { RowEncoder } from "../../output/formats/encoder.ts";
import type { PullOptions } from "../../pull/pull.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";
import type { LockedFolder } from "../folder/folder-lock.ts";
import type { SyncState } from "../folder/folder-state.ts";
import type { DayRange } from "./day-ranges.ts";
import type { SyncObserver } from "./sync-progress.ts";

export interface MirrorOptions extends Pick<PullOptions, "pageSize" | "concurrency" | "signal"> {
  folder: string;
  service: string;
  /** As written; empty to use the filters of the folder. */
  filters: WrittenFilters;
  createEncoder: () => RowEncoder;
  /** Number of newest days that are always read again. */
  lookback: number;
  /** Number of days whose counts are compared alone, with one request each: those checked longest ago. */
  audit: number;
  /** Compare every day with the service and every file with its digest. */
  verify: boolean;
  /** Take over day files that the state does not list, if this tool wrote them. */
  adopt: boolean;
  /** Remove days that are no longer within the filters' dates. */
  prune: boolean;
  /** Allow a run to remove more than half of the rows. */
  allowShrink: boolean;
  pid: number;
  /** Version of the tool. */
  tool: string;
  /** Milliseconds since the epoch. */
  now: () => number;
  observer?: SyncObserver;
}

/** What a run did. */
export interface SyncCounts {
  /** Number of days from the first to the last day of both sides. */
  daysChecked: number;
  /** Number of these days that were compared alone. */
  daysAudited: number;
  /** Days that were read and have or had rows. */
  days: number;
  /** Days whose rows differ from those before the run. */
  daysChanged: number;
  /** Days whose files were removed because the service has no rows for them. */
  daysRemoved: number;
  rowsAdded: number;
  rowsReplaced: number;
  rowsRemoved: number;
}

/** What the parts of one run share. */
export interface SyncRun extends LockedFolder {
  client: CatalogClient;
  options: MirrorOptions;
  /** Those of the folder, with absolute dates. */
  filters: Filters;
  state: SyncState;
  /** Days whose files differ from the state, or that it does not list. They are read again. */
  untrusted: Set<string>;
  /** When this run compares days, see `DayState`. */
  checkedAt: string;
  counts: SyncCounts;
}

/** The combinations that have rows on some days, by one coverage request. */
export async function coverageOf(
  { client, filters, options }: SyncRun,
  range?: DayRange,
): Promise<readonly Coverage[]> {
  const { data } = await client.coverage(range === undefined ? filters : filtersOn(range, filters), options.signal);
  return data.filter(({ matching_rows }) => matching_rows > 0);
}

export function filtersOn({ first, last }: DayRange, filters: Filters): Filters {
  return { ...filters, start_date: first, end_date: last };
}
