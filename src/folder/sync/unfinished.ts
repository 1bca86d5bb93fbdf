import { FEW_PAGES, removeStore } from "../../pull/store/open-store.ts";
import { countPages } from "../../pull/store/page-store.ts";
import { isSameSet, readStoreLines, type StoreContent } from "../../pull/store/store-lines.ts";
import { storeIn } from "../folder-lock.ts";
import { newState, type SyncState } from "../folder-state.ts";
import { syncBatches } from "./day-batch.ts";
import { type DayRange, isInRange } from "./day-ranges.ts";
import { removalGuard } from "./removal-guard.ts";
import { type ComparedRun, filtersOn, type SyncRun } from "./sync-run.ts";

/** Milliseconds after which the newest days of an unfinished batch are read again, see `--lookback`. */
const STILL_NEW = 24 * 60 * 60 * 1_000;

/** A batch whose pages an earlier run has read in part. */
export interface UnfinishedBatch {
  head: StoreContent["head"];
  range: DayRange;
  pages: number;
}

/** The batch that the last run did not finish; undefined if there is none, or if it cannot be read. */
export async function unfinishedBatch(folder: string): Promise<UnfinishedBatch | undefined> {
  const content = await readStoreLines(storeIn(folder, "sync").lines);
  if (content === undefined || typeof content === "string") {
    return undefined;
  }
  const { head } = content;
  const { start_date: first, end_date: last } = head.filters;
  const pages = countPages(content.pages);
  return first === undefined || last === undefined ? undefined : { head, range: { first, last }, pages };
}

/** The state of a folder whose first run placed no day yet: its pages say what it is a copy of. */
export function stateOfPages(unfinished: UnfinishedBatch | undefined): SyncState | undefined {
  return unfinished !== undefined && unfinished.pages > FEW_PAGES
    ? newState({ service: unfinished.head.service, filters: unfinished.head.asked })
    : undefined;
}

/**
 * Whether this run would ask for the same set, and the first or last day of the batch is still within the dates of the
 * filters. `isSameSet` compares what the filters stand for: the same written ones may match other combinations by now.
 */
export function isOfRun({ head, range }: UnfinishedBatch, { filters, isInWindow, options }: ComparedRun): boolean {
  return (
    head.service === options.service &&
    isSameSet(head.filters, filtersOn(range, filters)) &&
    (isInWindow(range.first) || isInWindow(range.last))
  );
}

/**
 * Finishes the batch in which an earlier run was stopped, from its pages. Pages that are of no use are removed.
 *
 * @returns a test whether a day was read so lately that this run need not read it again
 */
export async function finishBatch(
  run: SyncRun,
  unfinished: UnfinishedBatch | undefined,
): Promise<(day: string) => boolean> {
  const { options, lock } = run;
  if (unfinished === undefined || !isOfRun(unfinished, run)) {
    await lock.assertLocked();
    await removeStore(storeIn(options.folder, "sync"));
    return () => false;
  }
  const { range } = unfinished;
  const storedDays = Object.entries(run.state.days).filter(([day]) => isInRange(day, range));
  const rows = storedDays.reduce((sum, [, { rows }]) => sum + rows, 0);
  const onRemoval = removalGuard(run.state.days, new Map(), new Map(), options.allowShrink);
  await syncBatches(run, [{ ...range, rows }], onRemoval, "resume");
  return (day) => isStillNew(day, unfinished, options.now());
}

/** Whether a day of an unfinished batch was read so lately that it need not be read again once the batch is finished. */
export function isStillNew(day: string, { range, head }: UnfinishedBatch, now: number): boolean {
  return isInRange(day, range) && now - Date.parse(head.started_at) < STILL_NEW;
}
