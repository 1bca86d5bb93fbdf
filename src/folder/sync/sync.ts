import type { CatalogClient } from "../../client/client.ts";
import { ShrinkError } from "../../contract/errors.ts";
import type { Filters } from "../../contract/filters.ts";
import { loadEncoder } from "../../export/formats/registry.ts";
import { assertDuckDbPath } from "../../files/duckdb.ts";
import { pageRequests } from "../../pull/estimate.ts";
import { planPull } from "../../pull/plan.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";
import { DAY_FILE } from "../day-files.ts";
import { type LockedFolder, lockFolder } from "../folder-lock.ts";
import type { SyncState } from "../folder-state.ts";
import { cutIntoBatches, syncBatches } from "./day-batch.ts";
import { daysInRange } from "./day-ranges.ts";
import { dropCombinations } from "./drop-combinations.ts";
import { prepareRun } from "./prepare-run.ts";
import { compareTotals, rangesToRead } from "./ranges-to-read.ts";
import {
  type ComparedRun,
  type ComparisonOptions,
  type FolderSyncOptions,
  filtersOn,
  placeDays,
  type SyncCounts,
  type SyncRun,
  saveState,
} from "./sync-run.ts";
import { finishBatch, isOfRun, isStillNew } from "./unfinished.ts";

export interface SyncResult extends SyncCounts {
  /** Number of days that were read and have rows now, or had some before. */
  days: number;
  /** Number of days whose rows differ from those before the run. */
  daysChanged: number;
  /** The filters that the folder is kept with. */
  filters: WrittenFilters;
  /** The same with absolute dates. */
  resolved: Filters;
  /** Number of runs until every day has been compared alone; undefined if nothing is audited. */
  auditCycle: number | undefined;
  /** Removed days that are no longer within the filters' dates. */
  daysPruned: number;
  /** Unchanged days that are no longer within the filters' dates. */
  outside: readonly string[];
  /** Files in the day folders that sync did not write, as paths below the folder; they stay unchanged. */
  unexpectedFiles: readonly string[];
}

/**
 * Makes a folder a copy of the filtered set, with one file per crawl day. It finds changed days from coverage alone and
 * replaces each of them as a whole.
 *
 * After an interruption, each day has its complete old or new file, and the next run continues with the pages that were read.
 *
 * @throws UsageError if the folder is a copy of another set, or has day files that the state does not list
 * @throws LockedError if another process is writing it
 * @throws ShrinkError if more than half of the rows would be removed
 * @throws SetChangedError if the set changes faster than it can be read
 */
export async function syncFolder(client: CatalogClient, options: FolderSyncOptions): Promise<SyncResult> {
  const { signal, onLoss } = options;
  assertDuckDbPath(options.folder);
  const createParquet = await loadEncoder("parquet", signal);
  await using locked = await lockFolder(options.folder, options.pid);
  try {
    return await syncLocked(client, locked, options, (scratchPath) =>
      createParquet({ ...DAY_FILE, ...(onLoss && { onLoss }) }, scratchPath),
    );
  } catch (error) {
    // A process that took the lock has removed the staging folder; the lost lock is the error to report.
    await locked.lock.assertLocked();
    throw error;
  }
}

async function syncLocked(
  client: CatalogClient,
  locked: LockedFolder,
  options: FolderSyncOptions,
  createEncoder: SyncRun["createEncoder"],
): Promise<SyncResult> {
  const { run: compared, unfinished, written, unexpectedFiles } = await prepareRun(client, options);
  const run: SyncRun = { ...compared, options, createEncoder, lock: locked.lock, staging: locked.staging };
  const { state, untrusted, filters } = run;
  const isNew = await finishBatch(run, unfinished);
  const outside = daysOutside(run);
  if (options.prune) {
    refuseEmptying(outside, state, options);
    await placeDays(run, new Map(outside.map((day) => [day, undefined])));
    for (const day of outside) {
      untrusted.delete(day);
    }
  }
  const totals = await compareTotals(run);
  await dropCombinations(run, totals.gone);
  const ranges = await rangesToRead(run, totals, isNew);
  await syncBatches(run, await cutIntoBatches(run, ranges), totals.onRemoval);
  delete state.incomplete;
  await saveState(run);
  return {
    ...run.counts,
    days: run.read.size,
    daysChanged: run.changed.size,
    filters: written,
    resolved: filters,
    auditCycle: options.audit === 0 ? undefined : Math.ceil(Object.keys(state.days).length / options.audit),
    daysPruned: options.prune ? outside.length : 0,
    outside: options.prune ? [] : outside,
    unexpectedFiles,
  };
}

/** What a sync would read. */
export interface SyncPlan {
  days: number;
  rows: number;
  /** For pages alone, without coverage requests. */
  requests: number;
}

/**
 * What `syncFolder` would read now. It sends the coverage requests of that run and none for pages, and writes nothing.
 *
 * @throws as `syncFolder` before the first page
 */
export async function planSync(client: CatalogClient, options: ComparisonOptions): Promise<SyncPlan> {
  const { run, unfinished } = await prepareRun(client, options);
  const begun = unfinished !== undefined && isOfRun(unfinished, run) ? unfinished : undefined;
  const { state, untrusted, filters } = run;
  const pruned = options.prune ? daysOutside(run) : [];
  refuseEmptying(pruned, state, options);
  for (const day of pruned) {
    untrusted.delete(day);
    delete state.days[day];
  }
  const totals = await compareTotals(run);
  for (const [day, content] of Object.entries(state.days)) {
    const counts = new Map([...content.counts].filter(([rcd]) => !totals.gone.has(rcd)));
    state.days[day] = { ...content, counts };
  }
  const isNew = (day: string) => begun !== undefined && isStillNew(day, begun, options.now());
  const ranges = await rangesToRead(run, totals, isNew);
  const plan = { days: 0, rows: 0, requests: -(begun?.pages ?? 0) };
  for (const batch of await cutIntoBatches(run, begun === undefined ? ranges : [...ranges, begun.range])) {
    const set = filtersOn(batch, filters);
    // The pull of the batch will begin with the same request.
    const pull = planPull(await client.coverage(set, options.signal), set, options.pageSize);
    plan.days += daysInRange(batch);
    plan.rows += pull.totalRows;
    plan.requests += pageRequests(pull, options);
  }
  return { ...plan, requests: Math.max(0, plan.requests) };
}

/** Days of the folder that are no longer within the dates of its filters, in order. */
function daysOutside({ state, untrusted, isInWindow }: ComparedRun): string[] {
  return [...new Set([...Object.keys(state.days), ...untrusted])].filter((day) => !isInWindow(day)).sort();
}

/** @throws ShrinkError if all days have left the window, as with a wrong clock, unless shrinking is allowed */
function refuseEmptying(
  outside: readonly string[],
  { days }: SyncState,
  { folder, allowShrink }: ComparisonOptions,
): void {
  if (!allowShrink && outside.length > 0 && Object.keys(days).every((day) => outside.includes(day))) {
    throw new ShrinkError(
      `no day of ${folder} is within the dates of its filters, so --prune would remove all of them; is the clock right? --allow-shrink removes them`,
    );
  }
}
