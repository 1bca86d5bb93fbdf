import type { CatalogClient } from "../api/client.ts";
import type { Coverage, CoverageSummary } from "../contract/coverage.ts";
import type { ResolvedFilters } from "../contract/envelope.ts";
import type { Filters } from "../contract/filters.ts";
import { ApiError, SetChangedError } from "../errors.ts";
import type { RowBatch } from "../rows/batch.ts";
import { type LookAhead, type SavedPage, temporaryLookAhead } from "./look-ahead.ts";
import { commonSlices, firstSlices, type Plan, pagesOfSlice, planSlices, type Slice, sliceKey } from "./plan.ts";
import { inOrder } from "./schedule.ts";
import { checkGroup, checkTotal, type FinishedSlice, PlanOutdatedError, stillValid } from "./slice-counts.ts";
import { DeliveredRowsMovedError, walkSlice } from "./walk.ts";

/** Receives the rows of a pull. */
export interface RowSink {
  write(rows: RowBatch): Promise<void>;
  /** Everything up to the end of this slice is complete. */
  endSlice(slice: FinishedSlice): Promise<void>;
  /**
   * Removes everything that was written after the first `slices` slices, and more if it has to.
   *
   * @returns how many slices are left; undefined if bytes were written that cannot be removed
   */
  rewind(slices: number): Promise<number | undefined>;
}

export interface PullOptions {
  filters: Filters;
  pageSize: number;
  concurrency: number;
  /** The pull ends after this number of rows, even if the set has more. */
  maxRows?: number | undefined;
  signal: AbortSignal;
  observer?: PullObserver;
  /** Keep the pages of finished slices, because the sink may start over. */
  keepPages?: boolean | undefined;
  /** Storage for waiting pages; default: a file of at most `spoolLimit` bytes that is removed when this process ends. */
  lookAhead?: LookAhead | undefined;
  spoolLimit?: number | undefined;
  /** The slices that an earlier, interrupted pull has written. */
  resume?: { slicePages: number; slices: readonly { key: string; rows: number }[] } | undefined;
}

/** Callbacks of a running pull; the pull itself prints nothing. */
export interface PullObserver {
  /** Receives the coverage that the pull is planned from; an error thrown here ends the pull before its first page. */
  onCoverage?(coverage: readonly Coverage[]): void;
  onPlan?(plan: Plan, slicePages: number): Promise<void>;
  onRows?(rows: number): void;
  onRestart?(reason: string): void;
}

export interface PullResult {
  rows: number;
  /** Whether `maxRows` ended the pull before the end of the set. */
  truncated: boolean;
  slicePages: number;
  slices: readonly FinishedSlice[];
  summary: CoverageSummary;
  resolved: ResolvedFilters;
}

/** Number of new plans in a row without progress after which the pull fails. */
const FRUITLESS_REPLANS = 3;

/**
 * Pulls the complete filtered set: one coverage request, then all slices of the plan, several at once. The sink gets the
 * rows in canonical order, and their number is compared with the coverage.
 *
 * If the set changes meanwhile, it is planned again, and the slices that differ are read again. For this, the sink must
 * be able to remove rows. It is repeated as long as each new plan keeps more of the rows that were read.
 *
 * @throws SetChangedError if the output cannot be repaired
 */
export async function pull(client: CatalogClient, sink: RowSink, options: PullOptions): Promise<PullResult> {
  const lookAhead = options.lookAhead ?? (await temporaryLookAhead(options.spoolLimit));
  try {
    return await pullThrough(client, sink, lookAhead, options);
  } finally {
    if (options.lookAhead === undefined) {
      await lookAhead.close();
    }
  }
}

async function pullThrough(
  client: CatalogClient,
  sink: RowSink,
  lookAhead: LookAhead,
  options: PullOptions,
): Promise<PullResult> {
  const { filters, pageSize, resume, observer } = options;
  let coverage = await client.coverage(filters, options.signal);
  observer?.onCoverage?.(coverage.data);
  const slicePages = resume?.slicePages ?? pagesOfSlice(coverage.data, pageSize);
  let plan = planSlices(coverage.data, filters, pageSize, slicePages);
  const finished = stillValid(resume?.slices ?? [], plan);
  if (finished.length < (resume?.slices.length ?? 0)) {
    await sink.rewind(finished.length);
  }
  let mostKept = 0;
  let fruitless = 0;
  for (;;) {
    await observer?.onPlan?.(plan, slicePages);
    await lookAhead.keepOnly(new Set(plan.slices.map((slice) => sliceKey(plan, slice))));
    try {
      const truncated = await writeSlices(client, sink, lookAhead, plan, finished, options);
      return {
        rows: sumRows(finished),
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
      await dropGroup(lookAhead, plan, from);
      coverage = await client.coverage(filters, options.signal);
      const replanned = planSlices(coverage.data, filters, pageSize, slicePages);
      const kept = Math.min(from, commonSlices(plan, replanned));
      // Pages that are kept hold the rows of finished slices, too.
      const written = options.keepPages ? [] : finished.slice(0, kept);
      const keptRows = sumRows(written) + savedRows(lookAhead, replanned);
      fruitless = keptRows > mostKept ? 0 : fruitless + 1;
      mostKept = Math.max(mostKept, keptRows);
      const left = await rewound(sink, kept, fruitless);
      if (left === undefined) {
        throw new SetChangedError(`the set changed while it was read: ${(error as Error).message}`);
      }
      observer?.onRestart?.((error as Error).message);
      finished.length = left;
      plan = replanned;
    }
  }
}

/** Removes slices from the sink; undefined if that is not possible, or if no plan made progress. */
async function rewound(sink: RowSink, kept: number, fruitless: number): Promise<number | undefined> {
  return fruitless > FRUITLESS_REPLANS ? undefined : await sink.rewind(kept);
}

function sumRows(counted: readonly { rows: number }[]): number {
  return counted.reduce((sum, { rows }) => sum + rows, 0);
}

function savedRows(lookAhead: LookAhead, plan: Plan): number {
  return sumRows(plan.slices.flatMap((slice) => lookAhead.pagesOf(sliceKey(plan, slice)).map(({ place }) => place)));
}

/** Drops the pages of a group whose rows do not match the coverage. */
async function dropGroup(lookAhead: LookAhead, plan: Plan, index: number): Promise<void> {
  for (const slice of plan.slices.filter(({ group }) => group === plan.slices[index]?.group)) {
    await lookAhead.drop(sliceKey(plan, slice));
  }
}

/** The first slice that has to be read again; undefined for errors of another kind. */
function outdatedFrom(error: unknown, finished: number): number | undefined {
  if (error instanceof PlanOutdatedError) {
    return error.slice;
  }
  // The combination was in the coverage, but the service has removed it meanwhile.
  const isGone = error instanceof ApiError && /^unknown_/.test(error.problem.code ?? "");
  return isGone || error instanceof DeliveredRowsMovedError ? finished : undefined;
}

/** Writes the unfinished slices of the plan. Returns whether `maxRows` ended the pull before the end of the set. */
async function writeSlices(
  client: CatalogClient,
  sink: RowSink,
  lookAhead: LookAhead,
  plan: Plan,
  finished: FinishedSlice[],
  { pageSize, concurrency, maxRows, signal, observer, keepPages }: PullOptions,
): Promise<boolean> {
  const first = finished.length;
  let written = sumRows(finished);
  observer?.onRows?.(written);
  if (written === maxRows) {
    return written < plan.totalRows;
  }
  const wanted = maxRows === undefined ? plan.slices : firstSlices(plan, maxRows);
  const sources = wanted.slice(first).map((slice, index) => {
    const expectTotal = (total: number) => checkTotal(plan, first + index, total);
    const onRestart = (reason: string) => observer?.onRestart?.(reason);
    return {
      key: sliceKey(plan, slice),
      walk: (saved: readonly SavedPage[], stop: AbortSignal) => {
        const earlier = saved.map((page) => ({ place: page.place, read: () => lookAhead.read(page) }));
        return walkSlice(client, slice.filters, { pageSize, signal: stop, earlier, expectTotal, onRestart });
      },
    };
  });
  const endSlice = async (slice: Slice, rows: number) => {
    const end = { key: sliceKey(plan, slice), filters: slice.filters, rows };
    await sink.endSlice(end);
    finished.push(end);
    if (!keepPages) {
      await lookAhead.drop(end.key);
    }
  };
  let inSlice = 0;
  // More walks than wanted pages would request pages that are not needed.
  const atOnce = Math.min(concurrency, Math.ceil(((maxRows ?? Infinity) - written) / pageSize) || 1);
  for await (const event of inOrder(sources, { concurrency: atOnce, lookAhead }, signal)) {
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
