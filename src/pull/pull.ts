import type { CatalogClient } from "../client/client.ts";
import type { CoverageResponse } from "../client/responses/coverage-response.ts";
import type { Meta } from "../contract/envelope.ts";
import { FileError, SetChangedError } from "../contract/errors.ts";
import { groupDigits, plural } from "../contract/values/phrases.ts";
import { assertCounted, assertCountedAgain, assertPlausible, isCountedDifferently, whyMoved } from "./checks.ts";
import { cutToPages, firstSlices, fullSlicePages, type Plan, planPull, type Slice } from "./plan.ts";
import type { FinishedSlice, PullOptions, PullResult } from "./pull-options.ts";
import { choosePagesToRecheck, recheckPages, type StoredPageRef, slicesToProve } from "./recheck.ts";
import type { PageStore, PlanCuts } from "./store/page-store.ts";
import { CursorTooShortError, walkSlice } from "./walk.ts";
import { deferred, startWalkers } from "./walkers.ts";

/** Number of new plans in a row without progress after which the pull fails. */
const FRUITLESS_REPLANS = 3;

/** How many slices for each walker may be read ahead of the one that is written; bounds the space on disk. */
const SLICES_AHEAD = 2;

/**
 * Pulls the complete filtered set through a store of pages:
 *
 * 1. Plan: the coverage says how the set is cut into slices.
 * 2. Walk: walkers read the slices, several at once, into the store.
 * 3. Compare the number of rows with the coverage, and some pages with themselves, which are read a second time unless the
 *    service names the version of its data.
 * 4. Write the rows from the store. A streamed set is written during the walk.
 *
 * Any difference (in a count, a repeated id, a page that is read again) means that the set has moved. Then a new plan is made,
 * and the first page of each slice in the store is requested again: if it is the same, the slice stays, otherwise it is read
 * again. This is repeated as long as each plan keeps more rows than those before.
 *
 * Memory: for each walker a page and the ids of a slice, a page to write, and some hundred bytes for each page of the set.
 *
 * @throws SetChangedError if the set keeps changing, or has changed where rows were written already
 */
export async function pull(client: CatalogClient, store: PageStore, options: PullOptions): Promise<PullResult> {
  return await new Pull(client, store, options).run();
}

class Pull {
  readonly #client: CatalogClient;
  readonly #store: PageStore;
  readonly #options: PullOptions;
  /** IDs of slices in the order in which they were begun, those of an earlier run first. */
  readonly #begun = new Set<string>();
  /** IDs of slices that an earlier run began, and of which no page was read a second time since. */
  readonly #older = new Set<string>();
  /** IDs of slices that are replaced by slices of one page, because their cursors expire too soon. */
  readonly #cutToPages = new Set<string>();
  readonly #written: (FinishedSlice & { id: string })[] = [];
  #recheckedPages = 0;
  /** Whether the set has moved, so that pages in the store may be outdated. */
  #hasMoved = false;
  /** Maximum number of rows in the store that any plan could keep. */
  #maxKept = 0;
  /** Number of new plans in a row that kept no more rows than an earlier one. */
  #fruitless = 0;

  constructor(client: CatalogClient, store: PageStore, options: PullOptions) {
    this.#client = client;
    this.#store = store;
    this.#options = options;
  }

  async run(): Promise<PullResult> {
    const { filters, pageSize, signal, observer } = this.#options;
    let coverage = await this.#client.coverage(filters, signal, this.#store.version());
    assertPlausible(coverage.data, filters);
    await observer?.onCoverage?.(coverage.data);
    const slicePages = fullSlicePages(coverage.data, pageSize);
    const cuts = await this.#store.begin({ page_size: pageSize, slice_pages: slicePages });
    /** Those of the last plan. */
    let slices: readonly Slice[] = [];
    for (;;) {
      try {
        const plan = await this.#plan(coverage, cuts);
        slices = plan.slices;
        await this.#walk(plan, cuts.page_size);
        await this.#prove(plan, cuts.page_size);
        await this.#write(this.#wanted(plan));
        return this.#result(plan, cuts, coverage.meta);
      } catch (error) {
        const reason = this.#reasonToPlanAgain(error, slices);
        observer?.onRestart?.(reason);
        coverage = await this.#client.coverage(filters, signal);
      }
    }
  }

  async #plan(coverage: CoverageResponse, { page_size, slice_pages }: PlanCuts): Promise<Plan> {
    const { filters, signal, observer } = this.#options;
    let plan = planPull(coverage, filters, page_size, slice_pages);
    for (const slice of plan.slices.filter(({ id }) => this.#cutToPages.has(id))) {
      const again = await this.#client.coverage(slice.filters, signal, plan.version);
      assertCountedAgain(slice, again.meta.coverage);
      plan = cutToPages(plan, slice, again, page_size);
    }
    if (this.#written.some(({ id }, index) => plan.slices[index]?.id !== id)) {
      throw new SetChangedError(
        "the set changed while it was read: the service reports other categories or days than before",
      );
    }
    await this.#dropOutdated(plan, page_size);
    await observer?.onPlan?.(plan, this.#store.rowsOf(plan.slices));
    return plan;
  }

  /** Keeps the stored pages that belong to the plan; if the set has moved, only the slices whose first page is the same. */
  async #dropOutdated(plan: Plan, pageSize: number): Promise<void> {
    const outdated = this.#store.keepOnly(new Set(plan.slices.map(({ id }) => id)), plan.version);
    for (const slice of plan.slices) {
      if (isCountedDifferently(slice, this.#store.pagesOf(slice.id))) {
        await this.#store.discard(slice.id);
      }
    }
    if (this.#begun.size === 0) {
      if (outdated > 0) {
        this.#options.observer?.onRestart?.(
          `the service no longer has the version of the data of ${plural(outdated, "page")} of an earlier run`,
        );
      }
      for (const { id } of plan.slices.filter((slice) => this.#store.pagesOf(slice.id).length > 0)) {
        this.#begun.add(id);
        this.#older.add(id);
      }
    }
    if (this.#hasMoved) {
      const slices = slicesToProve(this.#wanted(plan), this.#store, plan.version);
      const places = slices.map((slice) => ({ slice, page: 0 }));
      await this.#recheck(places, plan, pageSize);
      this.#hasMoved = false;
    }
  }

  #wanted(plan: Plan): readonly Slice[] {
    return firstSlices(plan, this.#options.maxRows ?? Number.POSITIVE_INFINITY);
  }

  /** Reads the slices into the store, several at once. Slices of a streamed set are written as soon as it is their turn. */
  async #walk(plan: Plan, pageSize: number): Promise<void> {
    const { concurrency, maxRows = Number.POSITIVE_INFINITY, isStreamed, observer } = this.#options;
    const slices = this.#wanted(plan);
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, stop.signal]);
    let isStopping = false;
    const onPage = () => observer?.onRows?.(this.#store.rowsOf(slices));
    onPage();
    // More walkers than wanted pages would request pages that are not needed.
    const count = Math.min(concurrency, Math.ceil(maxRows / pageSize));
    const passed = slices.map(deferred);
    const { ends, stopped } = startWalkers(slices, count, async (slice, index) => {
      await (isStreamed ? passed[index - SLICES_AHEAD * count]?.promise : undefined);
      this.#begun.add(slice.id);
      await walkSlice(this.#client, slice, this.#store, {
        pageSize: Math.min(pageSize, maxRows),
        signal,
        version: plan.version,
        onPage,
        needsMore: () => !isStopping && this.#store.rowsOf(slices.slice(0, index + 1)) < maxRows,
        onRestart: observer?.onRestart,
        onDamage: observer?.onDamage,
      });
    });
    try {
      for (const [index, end] of ends.entries()) {
        await end;
        await (isStreamed ? this.#write(slices.slice(0, index + 1)) : undefined);
        passed[index]?.resolve();
      }
    } catch (error) {
      // Requested pages are still saved, because a new plan may keep them; after other errors nothing needs them.
      if (!(error instanceof CursorTooShortError) && whyMoved(error) === undefined) {
        stop.abort(new Error("the pull ended"));
      }
      throw error;
    } finally {
      isStopping = true;
      for (const { resolve } of passed) {
        resolve();
      }
      await stopped;
    }
  }

  /** Compares counts, and pages read a second time. @throws OutdatedPlanError if the set in the store is not that of the service */
  async #prove(plan: Plan, pageSize: number): Promise<void> {
    await assertCounted(plan, this.#store);
    const slices = slicesToProve(this.#wanted(plan), this.#store, plan.version);
    const options = { ...this.#options, begun: this.#begun, older: this.#older };
    const [difference] = await this.#recheck(choosePagesToRecheck(slices, this.#store, options), plan, pageSize);
    if (difference !== undefined) {
      throw difference;
    }
  }

  /** Reads pages a second time, see `recheckPages`. */
  async #recheck(places: readonly StoredPageRef[], { version }: Plan, pageSize: number) {
    const requests = { ...this.#options, pageSize, version };
    const differences = await recheckPages(this.#client, this.#store, places, requests);
    this.#recheckedPages += places.length;
    for (const { slice } of places) {
      this.#older.delete(slice.id);
    }
    return differences;
  }

  /** Writes those of the slices that are not written yet, as far as their rows are wanted. */
  async #write(slices: readonly Slice[]): Promise<void> {
    const { maxRows = Number.POSITIVE_INFINITY, write } = this.#options;
    for (const { id, filters } of slices.slice(this.#written.length)) {
      const left = maxRows - sumRows(this.#written);
      let written = 0;
      for (const page of this.#store.pagesOf(id)) {
        const rows = await this.#store.read(page);
        if (rows === undefined) {
          throw new FileError("a page was damaged on disk after it was written; repeat the command", "pages");
        }
        const wanted = rows.slice(0, left - written);
        written += wanted.length;
        if (wanted.length > 0) {
          await write(wanted);
        }
      }
      this.#written.push({ id, filters, rows: written });
      this.#store.freeRows(id);
    }
  }

  /** @throws the error if a new plan does not help, or SetChangedError if plans have not helped for too long */
  #reasonToPlanAgain(error: unknown, slices: readonly Slice[]): string {
    if (error instanceof CursorTooShortError) {
      if (this.#cutToPages.has(error.sliceId)) {
        throw new SetChangedError(`the set cannot be read completely: ${error.message}`);
      }
      this.#cutToPages.add(error.sliceId);
      return error.message;
    }
    const reason = whyMoved(error);
    if (reason === undefined) {
      throw error;
    }
    const kept = this.#store.rowsOf(slices);
    this.#fruitless = kept > this.#maxKept ? 0 : this.#fruitless + 1;
    this.#maxKept = Math.max(this.#maxKept, kept);
    if (this.#fruitless > FRUITLESS_REPLANS) {
      throw new SetChangedError(`the set changed while it was read: ${reason}`);
    }
    this.#hasMoved = true;
    return reason;
  }

  /** @throws SetChangedError if rows of the plan were not written, although all are wanted */
  #result({ totalRows }: Plan, cuts: PlanCuts, { coverage: summary, resolved }: Meta): PullResult {
    const rows = sumRows(this.#written);
    if (this.#options.maxRows === undefined && rows !== totalRows) {
      const counted = plural(totalRows, "row");
      throw new SetChangedError(`the set changed while it was read: ${counted}, but ${groupDigits(rows)} were written`);
    }
    const slices = this.#written.map(({ id: _, ...slice }) => slice);
    return { rows, truncated: rows < totalRows, cuts, slices, recheckedPages: this.#recheckedPages, summary, resolved };
  }
}

function sumRows(counted: readonly { rows: number }[]): number {
  return counted.reduce((sum, { rows }) => sum + rows, 0);
}
