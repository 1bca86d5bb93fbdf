import type { CatalogClient } from "../client/client.ts";
import type { CoverageResponse } from "../client/responses/coverage-response.ts";
import type { Coverage, CoverageSummary } from "../contract/coverage.ts";
import type { ResolvedFilters } from "../contract/envelope.ts";
import { FileError, SetChangedError } from "../contract/errors.ts";
import type { Filters } from "../contract/filters.ts";
import type { RowBatch } from "../rows/batch.ts";
import { whyMoved } from "./page-check.ts";
import { firstSlices, type Plan, pagesOfSlice, planPull, type Slice, withPagesOf } from "./plan.ts";
import { assertCounted, assertPlausible, compareSome } from "./prove-set.ts";
import type { SetFilters } from "./set-filters.ts";
import type { PageStore, PlanCuts } from "./store/page-store.ts";
import { CursorTooShortError, isOutOfDate, type WalkOptions, walkSlice } from "./walk.ts";
import { deferred, startWalkers } from "./walkers.ts";

export interface PullOptions {
  filters: SetFilters;
  /** Rows of a request; a store that has pages goes on with the size of these. */
  pageSize: number;
  concurrency: number;
  /** The pull ends after this number of rows, even if the set has more. */
  maxRows?: number | undefined;
  /** Percentage of the pages that are read a second time at the end, see `pagesToCompare`. */
  recheck?: number | undefined;
  signal: AbortSignal;
  observer?: PullObserver;
  /** A number from 0 up to 1. */
  random?: () => number;
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
  /** Receives the number of rows in the store. */
  onRows?(rows: number): void;
  onRestart?: (reason: string) => void;
  /** Receives the number of pages of the store that are damaged or behind a damaged one, and are read again. */
  onDamage?: (pages: number) => void;
}

/** A slice and its number of rows in the output. */
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
  /** Number of pages that were read a second time. */
  compared: number;
  summary: CoverageSummary;
  resolved: ResolvedFilters;
}

/** Number of new plans in a row without progress after which the pull fails. */
const FRUITLESS_REPLANS = 3;

/** Slices for each walker that may wait for the reader of stdout: a bounded room on disk. */
const SLICES_AHEAD = 2;

/**
 * Pulls the complete filtered set: one coverage request, then walkers fill the store with the slices of the plan. At the end
 * some pages are read a second time, unless the service names the version of its data.
 *
 * Any difference (in a count, a repeated id, a page that is read again) means that the set has moved. It is planned again, and
 * one page is asked for of each slice in the store: slices that are the same stay, others are read anew. This goes on as long
 * as more of the rows are kept each time.
 *
 * Memory: for each walker a page and the ids of a slice, a page for the reader, and some hundred bytes for each page of the
 * set.
 */
export class Pull {
  readonly #client: CatalogClient;
  readonly #store: PageStore;
  readonly #options: PullOptions;
  /** Keys of slices that were read, or compared, since the set was last seen to differ. */
  readonly #confirmed = new Set<string>();
  /** Keys of slices in the order in which they were begun. */
  readonly #begun = new Set<string>();
  /** Keys of slices that are read in slices of one page. */
  readonly #cut = new Set<string>();
  /** Slices whose rows the reader has. */
  readonly #given: (FinishedSlice & { key: string })[] = [];
  #compared = 0;
  #mostKept = 0;
  /** Number of new plans in a row that kept no more rows than one before. */
  #fruitless = 0;
  #result: PullResult | undefined;

  /** @param store if it keeps its rows, they come when the whole set is proven; otherwise slice by slice */
  constructor(client: CatalogClient, store: PageStore, options: PullOptions) {
    this.#client = client;
    this.#store = store;
    this.#options = options;
  }

  /** What the rows were; known when all of them have come. */
  get result(): PullResult {
    if (this.#result === undefined) {
      throw new Error("the rows have not come to their end");
    }
    return this.#result;
  }

  /**
   * The rows of the set in the order of the plan.
   *
   * @throws SetChangedError if the set never stands still, or has moved where rows were given already
   */
  async *rows(): AsyncGenerator<RowBatch, void, void> {
    const { filters, signal, observer } = this.#options;
    let coverage = await this.#client.coverage(filters, signal, this.#store.version());
    assertPlausible(coverage.data, filters);
    await observer?.onCoverage?.(coverage.data);
    const cuts = await this.#store.begin({
      page_size: this.#options.pageSize,
      slice_pages: pagesOfSlice(coverage.data, this.#options.pageSize),
    });
    let plan = await this.#plan(coverage, cuts);
    for (let isProven = false; !isProven; ) {
      await observer?.onPlan?.(plan, this.#store.rowsOf(plan.slices));
      try {
        yield* this.#walk(plan, cuts.page_size);
        await assertCounted(plan, this.#store);
        this.#compared += await compareSome(this.#wanted(plan), this.#client, this.#store, {
          ...{ ...this.#options, pageSize: cuts.page_size, version: plan.version },
          begun: [...this.#begun],
        });
        isProven = true;
      } catch (error) {
        const reason = this.#reasonToPlanAgain(error, plan);
        observer?.onRestart?.(reason);
        coverage = await this.#client.coverage(filters, signal);
        plan = await this.#plan(coverage, cuts);
      }
    }
    for (const slice of this.#store.keeps ? this.#wanted(plan) : []) {
      yield* this.#read(slice);
    }
    const { coverage: summary, resolved } = coverage.meta;
    const rows = sumRows(this.#given);
    const slices = this.#given.map(({ key: _, ...slice }) => slice);
    const truncated = rows < plan.totalRows;
    this.#result = { rows, truncated, cuts, slices, compared: this.#compared, summary, resolved };
  }

  /** @throws the error if a new plan does not help, or SetChangedError if plans have not helped for too long */
  #reasonToPlanAgain(error: unknown, plan: Plan): string {
    if (error instanceof CursorTooShortError) {
      if (this.#cut.has(error.key)) {
        throw new SetChangedError(`the set cannot be read completely: ${error.message}`);
      }
      this.#cut.add(error.key);
      return error.message;
    }
    const reason = whyMoved(error);
    if (reason === undefined) {
      throw error;
    }
    const kept = this.#store.rowsOf(plan.slices);
    this.#fruitless = kept > this.#mostKept ? 0 : this.#fruitless + 1;
    this.#mostKept = Math.max(this.#mostKept, kept);
    if (this.#fruitless > FRUITLESS_REPLANS) {
      throw new SetChangedError(`the set changed while it was read: ${reason}`);
    }
    this.#confirmed.clear();
    return reason;
  }

  /** Plans the pull, and leaves only the pages in the store that belong to the plan. */
  async #plan(coverage: CoverageResponse, { page_size, slice_pages }: PlanCuts): Promise<Plan> {
    const { filters, signal, observer } = this.#options;
    let plan = planPull(coverage, filters, page_size, slice_pages);
    for (const slice of plan.slices.filter(({ key }) => this.#cut.has(key))) {
      plan = withPagesOf(plan, slice, await this.#client.coverage(slice.filters, signal, plan.version), page_size);
    }
    const outdated = this.#store.keepOnly(new Set(plan.slices.map(({ key }) => key)), plan.version);
    if (outdated > 0 && this.#begun.size === 0) {
      observer?.onRestart?.(
        `${outdated} pages that were read are of a version of the data that the service no longer has`,
      );
    }
    if (this.#given.some(({ key }, index) => plan.slices[index]?.key !== key)) {
      throw new SetChangedError("the set changed while it was read: it is cut differently now");
    }
    return plan;
  }

  #wanted(plan: Plan): readonly Slice[] {
    return firstSlices(plan, this.#options.maxRows ?? Number.POSITIVE_INFINITY);
  }

  /** Lets walkers fill the store. The rows of a store that does not keep them come on the way. */
  async *#walk(plan: Plan, pageSize: number): AsyncGenerator<RowBatch, void, void> {
    const { concurrency, maxRows = Number.POSITIVE_INFINITY, observer, signal: ending } = this.#options;
    const slices = this.#wanted(plan);
    const stop = new AbortController();
    const signal = AbortSignal.any([ending, stop.signal]);
    // More walkers than wanted pages would request pages that are not needed.
    const count = Math.min(concurrency, Math.ceil(maxRows / pageSize));
    const taken = slices.map(deferred);
    let isStopping = false;
    const work = async (slice: Slice, index: number): Promise<void> => {
      await (this.#store.keeps ? undefined : taken[index - SLICES_AHEAD * count]?.promise);
      const needsMore = () => !isStopping && this.#store.rowsOf(slices.slice(0, index + 1)) < maxRows;
      try {
        await this.#walkSlice(slice, index, {
          pageSize,
          signal,
          version: plan.version,
          needsMore,
          onPage: () => observer?.onRows?.(this.#store.rowsOf(slices)),
        });
      } catch (error) {
        isStopping = true;
        throw error;
      }
    };
    observer?.onRows?.(this.#store.rowsOf(slices));
    const { ends, stopped } = startWalkers(slices, count, work);
    let isMoved = false;
    try {
      for (const [index, slice] of slices.entries()) {
        await ends[index];
        if (!this.#store.keeps && index >= this.#given.length) {
          yield* this.#read(slice);
        }
        taken[index]?.resolve();
      }
    } catch (error) {
      isMoved = error instanceof CursorTooShortError || whyMoved(error) !== undefined;
      throw error;
    } finally {
      isStopping = true;
      if (!isMoved) {
        stop.abort(new Error("the pull ended"));
      }
      // Pages that were asked for are saved, unless nobody will want them.
      for (const { resolve } of taken) {
        resolve();
      }
      await stopped;
    }
  }

  async #walkSlice(slice: Slice, index: number, options: Omit<WalkOptions, "isConfirmed">): Promise<void> {
    const { observer } = this.#options;
    const isConfirmed = this.#confirmed.has(slice.key);
    const isGiven = index < this.#given.length;
    this.#begun.add(slice.key);
    const isGone = this.#store.pagesOf(slice.key).length === 0;
    if (isGiven && (isGone || (!isConfirmed && (await isOutOfDate(this.#client, slice, this.#store, options))))) {
      throw new SetChangedError("the set changed while it was read: rows that were already written are different now");
    }
    if (!isGiven && options.needsMore()) {
      const { onRestart, onDamage } = observer ?? {};
      await walkSlice(this.#client, slice, this.#store, { ...options, isConfirmed, onRestart, onDamage });
    }
    this.#confirmed.add(slice.key);
  }

  /** The rows of a slice, as far as they are wanted. */
  async *#read({ key, filters }: Slice): AsyncGenerator<RowBatch, void, void> {
    const left = (this.#options.maxRows ?? Number.POSITIVE_INFINITY) - sumRows(this.#given);
    let given = 0;
    for (const page of this.#store.pagesOf(key)) {
      const rows = await this.#store.read(page);
      if (rows === undefined) {
        throw new FileError("a page was damaged on disk after it was written; repeat the command", "pages");
      }
      const wanted = rows.slice(0, left - given);
      given += wanted.length;
      if (wanted.length > 0) {
        yield wanted;
      }
    }
    this.#given.push({ key, filters, rows: given });
    if (!this.#store.keeps) {
      this.#store.forgetRows(key);
    }
  }
}

function sumRows(counted: readonly { rows: number }[]): number {
  return counted.reduce((sum, { rows }) => sum + rows, 0);
}
