import { join } from "node:path";
import type { CatalogClient } from "../../client/client.ts";
import type { Coverage } from "../../contract/coverage.ts";
import type { Filters } from "../../contract/filters.ts";
import { moveIntoPlace } from "../../export/destination/partitions.ts";
import type { EncoderOptions, RowEncoder } from "../../export/formats/encoder.ts";
import type { PullObserver, PullOptions } from "../../pull/pull-options.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";
import { placeOfDay, removeDay } from "../day-files.ts";
import type { DayState } from "../day-state.ts";
import type { LockedFolder } from "../folder-lock.ts";
import { type SyncState, writeState } from "../folder-state.ts";
import type { DayRange } from "./day-ranges.ts";

/** Receives the progress of a run. */
export interface SyncObserver extends Required<Pick<PullObserver, "onRestart" | "onDamage">> {
  /**
   * The expected rows of the run, requests for all of their pages, and those of the rows that an earlier run has read. Called at
   * the start, and again with each plan of a batch.
   */
  onTotal(total: { rows: number; requests: number; stored: number }): void;
  /** Rows of all batches so far. */
  onRows(rows: number): void;
  /** Receives a sentence about lost pages of an unfinished run. */
  onNote(note: string): void;
  /** The run ends early; the next one continues with the pages that it has read. */
  onKept(): void;
}

/** What decides which days a run reads. */
export interface ComparisonOptions extends Pick<PullOptions, "pageSize" | "concurrency" | "recheck" | "signal"> {
  folder: string;
  service: string;
  /** As written; empty to use the filters of the folder. */
  filters: WrittenFilters;
  /** Number of newest days that are always read again. */
  lookback: number;
  /** Number of days whose counts are compared alone, with one request each: those checked longest ago. */
  audit: number;
  /** Compare every day of the window with the service, and every file with its SHA-256. */
  verify: boolean;
  /** Take over day files that the state does not list, if this tool wrote them. */
  adopt: boolean;
  /** Remove days that are no longer within the filters' dates. */
  prune: boolean;
  /** Allow a run to remove more than half of the rows. */
  allowShrink: boolean;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Options of a sync that fills a new folder. */
export const FIRST_FILL = {
  lookback: 0,
  audit: 0,
  verify: false,
  adopt: false,
  prune: false,
  allowShrink: false,
} as const satisfies Partial<ComparisonOptions>;

export interface FolderSyncOptions extends ComparisonOptions, Pick<EncoderOptions, "onLoss"> {
  pid: number;
  /** Version of the tool. */
  tool: string;
  observer?: SyncObserver;
}

export const NO_COUNTS = {
  /** Number of days from the first to the last day that the folder or the service has. */
  daysChecked: 0,
  /** Number of these days that were compared alone. */
  daysAudited: 0,
  /** Days whose files were removed because the service has no rows for them. */
  daysRemoved: 0,
  rowsAdded: 0,
  rowsReplaced: 0,
  rowsRemoved: 0,
};

/** What a run did. */
export type SyncCounts = typeof NO_COUNTS;

/** Shared by the parts of a run that compare the folder with the service; none of them needs the lock. */
export interface ComparedRun {
  client: CatalogClient;
  options: ComparisonOptions;
  /** Those of the folder, with absolute dates. */
  filters: Filters;
  /** Whether a day is within these dates. */
  isInWindow: (day: string) => boolean;
  state: SyncState;
  /** Days whose files differ from the state, or that it does not list. They are read again. */
  untrusted: Set<string>;
  /** When this run compares days, see `DayState`. */
  checkedAt: string;
  counts: SyncCounts;
  /** Days that were read and have or had rows. */
  read: Set<string>;
  /** Days whose rows differ from those before the run. */
  changed: Set<string>;
}

/** What all parts of a run share. */
export interface SyncRun extends ComparedRun, Omit<LockedFolder, keyof AsyncDisposable> {
  options: FolderSyncOptions;
  /** Creates the encoder of a day's file. */
  createEncoder: (scratchPath: () => Promise<string>) => RowEncoder;
}

/** The combinations that have rows on some days, by one coverage request. */
export async function coverageOf(
  { client, filters, options }: ComparedRun,
  range?: DayRange,
): Promise<readonly Coverage[]> {
  const { data } = await client.coverage(range === undefined ? filters : filtersOn(range, filters), options.signal);
  return data.filter(({ matching_rows }) => matching_rows > 0);
}

export function filtersOn({ first, last }: DayRange, filters: Filters): Filters {
  return { ...filters, start_date: first, end_date: last };
}

/** Path of a day's new file. It does not end in `.parquet`, so that readers do not take it for a part of the copy. */
export function stagedFile({ staging }: Pick<SyncRun, "staging">, day: string): string {
  return join(staging, day);
}

/**
 * Moves the staged files of some days into place, removes the files of those without a new content, and updates the state.
 * Until this is finished, the state lists the days as pending, so the next run settles them after an interruption.
 */
export async function placeDays(run: SyncRun, days: ReadonlyMap<string, DayState | undefined>): Promise<void> {
  const { lock, state, options } = run;
  if (days.size === 0) {
    return;
  }
  state.pending = [...new Set([...state.pending, ...days.keys()])];
  await saveState(run);
  const replaced = [...days.keys()].filter((day) => days.get(day) !== undefined);
  const files = new Map(replaced.map((day) => [placeOfDay(day), stagedFile(run, day)]));
  await moveIntoPlace(options.folder, files, lock.assertLocked);
  for (const [day, content] of days) {
    if (content !== undefined) {
      state.days[day] = content;
      continue;
    }
    await lock.assertLocked();
    await removeDay(options.folder, day);
    delete state.days[day];
  }
  state.pending = state.pending.filter((day) => !days.has(day));
  await saveState(run);
}

/** Writes the state of the folder, unless another process has taken it. */
export async function saveState({ lock, state, options }: SyncRun): Promise<void> {
  await lock.assertLocked();
  await writeState(options.folder, state, lock.assertLocked);
}
