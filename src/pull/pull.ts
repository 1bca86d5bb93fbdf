import type { CatalogClient } from "../client/client.ts";
import type { Coverage, CoverageSummary } from "../contract/coverage.ts";
import type { ResolvedFilters } from "../contract/envelope.ts";
import { ApiError, SetChangedError } from "../contract/errors.ts";
import type { Filters } from "../contract/filters.ts";
import type { RowBatch } from "../rows/batch.ts";
import { PlanOutdatedError } from "./page-check.ts";
import { firstSlices, type Plan, pagesOfSlice, planPull, type Slice } from "./plan.ts";
import { inOrder } from "./schedule.ts";
import type { SetFilters } from "./set-filters.ts";
import { type PageStore, type PlanCuts, temporaryStore } from "./store/page-store.ts";
import { walkSlice } from "./walk.ts";

/** Receives the rows of a pull. */
export interface RowSink {
  /** Resolves when the sink accepts more. Calls must not overlap. */
  write(batch: RowBatch): Promise<void>;
  /**
   * Removes everything that was written.
   *
   * @returns false if some of it is out and cannot be taken back
   */
  restart(): Promise<boolean>;
  /** All rows of the days before `day` were written; after a restart they come again. */
  daysWritten?(day: string): Promise<void>;
}

export interface PullOptions {
  filters: SetFilters;
  /** Rows of a request; a store that has pages goes on with the size of these. */
  pageSize: number;
  concurrency: number;
  /** The pull ends after this number of rows, even if the set has more. */
  maxRows?: number | undefined;
  /** Cuts the set by days if one request can carry its filters, so that the sink gets one day after the other. */
  byDays?: boolean | undefined;
  signal: AbortSignal;
  observer?: PullObserver;
  /** Where the pages are; default: a store that ends with this process. */
  store?: PageStore | undefined;
}

/** Callbacks of a running pull; the pull itself prints nothing. */
export interface PullObserver {
  /** Receives the coverage that the pull is planned from; an error thrown here ends the pull before its first page. */
  onCoverage?(coverage: readonly Coverage[]): Promise<void> | void;
  /**
   * An error thrown here ends the pull before the next page.
   *
   * @param stored rows of the plan that are in the store already
   */
  onPlan?(plan: Plan, stored: number): Promise<void> | void;
  onRows?(rows: number): void;
  onRestart?: (reason: string) => void;
  /** Receives the number of pages of the store that are damaged or behind a damaged one, and are read again. */
  onDamage?: (pages: number) => void;
}

/** A slice whose rows were all passed on. */
export interface FinishedSlice {
  filters: Filters;
  rows: number;
}

export interface PullResult {
  rows: number;
  /** Whether `maxRows` ended the pull before the end of the set. */
  truncated: boolean;
  cuts: PlanCuts;
  slices: readonly FinishedSlice[];
  summary: CoverageSummary;
  resolved: ResolvedFilters;
}

/** Number of new plans in a row without progress after which the pull fails. */
const FRUITLESS_REPLANS = 3;

/**
 * Pulls the complete filtered set: one coverage request, then all slices of the plan, several at once, into the store. The
 * sink gets the rows in canonical order, as soon as they are there, and their number is compared with the coverage. A slice
 * whose pages are all in the store is not asked for. A store with pages of one version of the data goes on in this version, if
 * the service still has it.
 *
 * If the set changes meanwhile, it is planned again. Pages of slices that are the same stay in the store, and the sink
 * starts over. It is repeated as long as each new plan keeps more of the rows that were read.
 *
 * @throws SetChangedError if rows are out that cannot be taken back
 */
export async function pull(client: CatalogClient, sink: RowSink, options: PullOptions): Promise<PullResult> {
  const store = options.store ?? temporaryStore();
  try {
    return await pullInto(store, client, sink, options);
  } finally {
    if (options.store === undefined) {
      await store.close();
    }
  }
}

async function pullInto(
  store: PageStore,
  client: CatalogClient,
  sink: RowSink,
  options: PullOptions,
): Promise<PullResult> {
  const { filters, signal, observer } = options;
  let coverage = await client.coverage(filters, signal, store.version());
  await observer?.onCoverage?.(coverage.data);
  const cuts = await store.begin({
    page_size: options.pageSize,
    slice_pages: pagesOfSlice(coverage.data, options.pageSize),
  });
  /** Plans the pull, and leaves only the pages in the store that belong to the plan. */
  const planned = (): Plan => {
    const plan = planPull(coverage, filters, cuts.page_size, cuts.slice_pages, options.byDays);
    const outdated = store.keepOnly(new Set(plan.slices.map(({ key }) => key)), plan.version);
    if (outdated > 0) {
      observer?.onRestart?.(
        `${outdated} pages that were read are of a version of the data that the service no longer has`,
      );
    }
    return plan;
  };
  let plan = planned();
  let passed: FinishedSlice[] = [];
  let mostKept = 0;
  let fruitless = 0;
  for (;;) {
    await observer?.onPlan?.(plan, storedRows(store, plan));
    const progress: Progress = { passed, more: 0 };
    try {
      await passOn(client, sink, store, plan, progress, { ...options, pageSize: cuts.page_size });
      const rows = sumRows(passed);
      const { coverage: summary, resolved } = coverage.meta;
      return { rows, truncated: rows < plan.totalRows, cuts, slices: passed, summary, resolved };
    } catch (error) {
      if (!isOutdated(error)) {
        throw error;
      }
      await discardGroup(store, plan, plan.slices[passed.length] as Slice);
      coverage = await client.coverage(filters, signal);
      const replanned = planned();
      const isRight = isStillRight(progress, plan, replanned);
      const keptRows = storedRows(store, replanned) + (store.keeps ? 0 : sumRows(passed));
      fruitless = keptRows > mostKept ? 0 : fruitless + 1;
      mostKept = Math.max(mostKept, keptRows);
      if (fruitless > FRUITLESS_REPLANS || !(isRight || (await sink.restart()))) {
        throw new SetChangedError(`the set changed while it was read: ${(error as Error).message}`);
      }
      passed = isRight ? passed : [];
      observer?.onRestart?.((error as Error).message);
      plan = replanned;
    }
  }
}

/** Its pages do not match the coverage. */
async function discardGroup(store: PageStore, { slices }: Plan, { group }: Slice): Promise<void> {
  for (const { key } of slices.filter((slice) => slice.group === group)) {
    await store.discard(key);
  }
}

/** Whether the sink has nothing but slices that are the same in both plans, and of the same version of the data. */
function isStillRight({ passed, more }: Progress, before: Plan, after: Plan): boolean {
  return (
    more === 0 &&
    (passed.length === 0 || before.version === after.version) &&
    passed.every((_, index) => before.slices[index]?.key === after.slices[index]?.key)
  );
}

function sumRows(counted: readonly { rows: number }[]): number {
  return counted.reduce((sum, { rows }) => sum + rows, 0);
}

function storedRows(store: PageStore, { slices }: Plan): number {
  return sumRows(slices.flatMap(({ key }) => store.pagesOf(key)));
}

/** Whether a new plan helps. */
function isOutdated(error: unknown): boolean {
  // The combination was in the coverage, but the service has removed it meanwhile.
  const isGone = error instanceof ApiError && /^unknown_/.test(error.problem.code ?? "");
  return isGone || error instanceof PlanOutdatedError;
}

/** What the sink has. */
interface Progress {
  /** The first slices of the plan. */
  passed: FinishedSlice[];
  /** Rows of the slice after these. */
  more: number;
}

/** Passes the other slices of the plan on, up to `maxRows`. */
async function passOn(
  client: CatalogClient,
  sink: RowSink,
  store: PageStore,
  plan: Plan,
  progress: Progress,
  { pageSize, concurrency, maxRows = Number.POSITIVE_INFINITY, signal, observer }: PullOptions,
): Promise<void> {
  const { passed } = progress;
  const left = firstSlices(plan, maxRows).slice(passed.length);
  let written = sumRows(passed);
  observer?.onRows?.(written);
  const sources = left.map(({ key, filters, group }) => ({
    key,
    walk: (stop: AbortSignal) =>
      walkSlice(client, filters, {
        pageSize,
        signal: stop,
        version: plan.version,
        earlier: [...store.pagesOf(key)],
        read: store.read,
        onRestart: observer?.onRestart,
        onDamage: observer?.onDamage,
        // The coverage does not count the slices of a group that is cut by date.
        counted: group.slices === 1 ? group.rows : undefined,
      }),
  }));
  const endSlice = async ({ key, filters }: Slice) => {
    passed.push({ filters, rows: progress.more });
    progress.more = 0;
    if (!store.keeps) {
      store.drop(key);
    }
    const later = sink.daysWritten === undefined ? [] : plan.slices.slice(passed.length);
    const [next] = later.map((other) => other.filters.start_date ?? "").sort();
    if (next !== undefined) {
      await sink.daysWritten?.(next);
    }
  };
  // More walks than wanted pages would request pages that are not needed.
  const atOnce = Math.min(concurrency, Math.ceil((maxRows - written) / pageSize));
  for await (const { index, rows } of inOrder(sources, { concurrency: atOnce, store }, signal)) {
    const slice = left[index] as Slice;
    if (rows === undefined) {
      checkGroup(plan, slice, progress);
      await endSlice(slice);
      continue;
    }
    const wanted = rows.slice(0, maxRows - written);
    progress.more += wanted.length;
    await sink.write(wanted);
    written += wanted.length;
    observer?.onRows?.(written);
    if (written === maxRows) {
      await endSlice(slice);
      return;
    }
  }
}

/** Compares the rows of a group with the coverage after its last slice. */
function checkGroup({ slices }: Plan, { group }: Slice, { passed, more }: Progress): void {
  if (slices[passed.length + 1]?.group !== group) {
    const sum = sumRows(passed.slice(slices.findIndex((first) => first.group === group))) + more;
    if (sum !== group.rows) {
      throw new PlanOutdatedError(`coverage counted ${group.rows} rows, but the walk returned ${sum}`);
    }
  }
}
