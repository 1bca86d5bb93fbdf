import type { CatalogClient } from "../api/client.ts";
import type { CoverageSummary } from "../contract/coverage.ts";
import type { ResolvedFilters } from "../contract/envelope.ts";
import type { Filters } from "../contract/filters.ts";
import { ApiError, SetChangedError } from "../errors.ts";
import type { RowBatch } from "../rows/batch.ts";
import { commonSlices, firstSlices, type Plan, pagesOfSlice, planSlices, type Slice, sliceKey } from "./plan.ts";
import { checkGroup, checkTotal, exactRows, type FinishedSlice, PlanOutdatedError, stillValid } from "./reckoning.ts";
import { inOrder } from "./schedule.ts";
import { DeliveredRowsMovedError, walkSlice } from "./walk.ts";

/** Where a pull puts its rows. */
export interface RowSink {
  write(rows: RowBatch): Promise<void>;
  /** Everything up to the end of this slice is complete. */
  endSlice(slice: FinishedSlice): Promise<void>;
  /**
   * Takes back everything that was written after the first `slices` slices.
   *
   * @returns false where bytes have left for good
   */
  rewind(slices: number): Promise<boolean>;
}

export interface PullOptions {
  filters: Filters;
  pageSize: number;
  concurrency: number;
  /** Rows after which the pull ends, complete or not. */
  maxRows?: number | undefined;
  signal: AbortSignal;
  observer?: PullObserver;
  /** What an earlier, interrupted pull has safely written. */
  resume?: { slicePages: number; slices: readonly { key: string; rows: number }[] } | undefined;
}

/** What a pull tells while it runs; it never prints. */
export interface PullObserver {
  onPlan?(plan: Plan, slicePages: number): Promise<void>;
  onRows?(rows: number): void;
  onRestart?(reason: string): void;
}

export interface PullResult {
  rows: number;
  /** True where `maxRows` ended the pull before the set did. */
  truncated: boolean;
  slicePages: number;
  slices: readonly FinishedSlice[];
  summary: CoverageSummary;
  resolved: ResolvedFilters;
}

/** Bytes of compressed pages that wait for their turn: about 100 pages of 500 rows, enough for four walks of 30 pages. */
const LOOK_AHEAD_BYTES = 5 * 1024 * 1024;

/** Times that a set is planned anew because it changed, after which the pull is given up. */
const REPLANS = 3;

/**
 * Pulls the complete filtered set: one coverage request, then every slice of the plan, several at once, handed to the
 * sink in canonical order and counted against the coverage.
 *
 * A set that changes meanwhile is planned anew, and the slices that differ are read again where the sink can take
 * back what it wrote.
 *
 * @throws SetChangedError where the output can no longer be mended
 */
export async function pull(client: CatalogClient, sink: RowSink, options: PullOptions): Promise<PullResult> {
  const { filters, pageSize, resume, observer } = options;
  let coverage = await client.coverage(filters, options.signal);
  const slicePages = resume?.slicePages ?? pagesOfSlice(coverage.data, pageSize);
  let plan = planSlices(coverage.data, filters, pageSize, slicePages);
  const finished: FinishedSlice[] = resume === undefined ? [] : stillValid(resume.slices, plan);
  if (resume !== undefined && finished.length < resume.slices.length) {
    await sink.rewind(finished.length);
  }
  for (let replans = 0; ; replans += 1) {
    await observer?.onPlan?.(plan, slicePages);
    try {
      const truncated = await writeSlices(client, sink, plan, finished, options);
      const rows = finished.reduce((sum, slice) => sum + slice.rows, 0);
      return {
        rows,
        truncated,
        slicePages,
        slices: finished,
        summary: coverage.meta.coverage,
        resolved: coverage.meta.resolved,
      };
    } catch (error) {
      const from = outdatedFrom(error, finished.length);
      if (from === undefined) {
        throw error;
      }
      coverage = await client.coverage(filters, options.signal);
      const replanned = planSlices(coverage.data, filters, pageSize, slicePages);
      const kept = Math.min(from, commonSlices(plan, replanned));
      if (replans >= REPLANS || !(await sink.rewind(kept))) {
        throw new SetChangedError(`the set changed while it was read: ${(error as Error).message}`);
      }
      observer?.onRestart?.((error as Error).message);
      finished.length = kept;
      plan = replanned;
    }
  }
}

/** The first slice that has to be read again, or undefined where the error is of another kind. */
function outdatedFrom(error: unknown, finished: number): number | undefined {
  if (error instanceof PlanOutdatedError) {
    return error.slice;
  }
  // A combination that the coverage named and that is unknown by now has been removed.
  const isGone = error instanceof ApiError && /^unknown_/.test(error.problem.code ?? "");
  return isGone || error instanceof DeliveredRowsMovedError ? finished : undefined;
}

/** Writes the slices of the plan that are not yet finished; returns whether `maxRows` cut the set short. */
async function writeSlices(
  client: CatalogClient,
  sink: RowSink,
  plan: Plan,
  finished: FinishedSlice[],
  { pageSize, concurrency, maxRows, signal, observer }: PullOptions,
): Promise<boolean> {
  const first = finished.length;
  let written = finished.reduce((sum, slice) => sum + slice.rows, 0);
  observer?.onRows?.(written);
  if (written === maxRows) {
    return written < plan.totalRows;
  }
  const wanted = maxRows === undefined ? plan.slices : firstSlices(plan, maxRows);
  const sources = wanted.slice(first).map((slice, index) => {
    const expectTotal = (total: number) => checkTotal(total, exactRows(plan, slice), first + index);
    const onRestart = (reason: string) => observer?.onRestart?.(reason);
    return (stop: AbortSignal) => walkSlice(client, slice.filters, { pageSize, signal: stop, expectTotal, onRestart });
  });
  const endSlice = async (slice: Slice, rows: number) => {
    const end = { key: sliceKey(plan, slice), filters: slice.filters, rows };
    await sink.endSlice(end);
    finished.push(end);
  };
  let inSlice = 0;
  // More walks than pages that are wanted would only ask for pages in vain.
  const atOnce = Math.min(concurrency, Math.ceil(((maxRows ?? Infinity) - written) / pageSize) || 1);
  for await (const event of inOrder(sources, { concurrency: atOnce, lookAheadBytes: LOOK_AHEAD_BYTES }, signal)) {
    const slice = plan.slices[first + event.index] as Slice;
    if (event.kind === "end") {
      checkGroup(plan, finished, slice, inSlice);
      await endSlice(slice, inSlice);
      inSlice = 0;
      continue;
    }
    const rows = maxRows === undefined ? event.rows : event.rows.slice(0, maxRows - written);
    await sink.write(rows);
    inSlice += rows.length;
    written += rows.length;
    observer?.onRows?.(written);
    if (written === maxRows) {
      await endSlice(slice, inSlice);
      return written < plan.totalRows;
    }
  }
  return false;
}
