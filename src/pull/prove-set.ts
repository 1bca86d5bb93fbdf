import type { CatalogClient } from "../client/client.ts";
import type { Coverage } from "../contract/coverage.ts";
import { SetChangedError } from "../contract/errors.ts";
import { SetMovedError } from "./page-check.ts";
import type { Plan, Slice } from "./plan.ts";
import { chooseAgain, compareAgain, pagesToCompare } from "./recheck.ts";
import type { SetFilters } from "./set-filters.ts";
import type { PageStore } from "./store/page-store.ts";
import { startWalkers } from "./walkers.ts";

/** @throws SetChangedError if the coverage names rows that no request can get */
export function assertPlausible(coverage: readonly Coverage[], { start_date, end_date }: SetFilters): void {
  const hasDates = start_date !== undefined || end_date !== undefined;
  const hidden = coverage.find(({ matching_rows, corpus_rows }) => matching_rows === 0 && corpus_rows > 0);
  if (hidden !== undefined && !hasDates) {
    throw new SetChangedError(
      `the coverage contradicts itself: ${hidden.rcd} has ${hidden.corpus_rows} rows, of which none match filters without dates`,
    );
  }
}

/**
 * Compares the number of stored rows of each complete group with the coverage.
 *
 * @throws SetMovedError if they differ
 */
export async function assertCounted({ slices, version }: Plan, store: PageStore): Promise<void> {
  for (const group of new Set(slices.map((slice) => slice.group))) {
    const members = slices.filter((slice) => slice.group === group);
    const rows = store.rowsOf(members);
    const isComplete = members.every(({ key }) => store.pagesOf(key).at(-1)?.cursor === null);
    if (isComplete && rows !== group.rows) {
      // Of one version of the data they would never be read again, although they are wrong.
      for (const { key } of version === undefined ? [] : members) {
        await store.discard(key);
      }
      throw new SetMovedError(`coverage counted ${group.rows} rows, but the walk returned ${rows}`);
    }
  }
}

interface ComparedPages {
  pageSize: number;
  concurrency: number;
  /** Percentage of the pages, see `pagesToCompare`. */
  recheck?: number | undefined;
  /** Of the data, if the service names it. */
  version: string | undefined;
  /** Keys of slices in the order in which they were begun. */
  begun: readonly string[];
  signal: AbortSignal;
  random?: () => number;
}

/**
 * Reads some of the stored pages a second time, unless all are of one version of the data. A slice that is different now is
 * discarded.
 *
 * @returns the number of pages that were read
 * @throws SetMovedError if one is different
 */
export async function compareSome(
  slices: readonly Slice[],
  client: CatalogClient,
  store: PageStore,
  { pageSize, concurrency, recheck, version, begun, signal, random = Math.random }: ComparedPages,
): Promise<number> {
  const pages = slices.map(({ key }) => [...store.pagesOf(key)]);
  if (version !== undefined && pages.flat().every(({ set }) => set.version === version)) {
    return 0;
  }
  const keys = slices.map(({ key }) => key);
  const inOrder = begun.map((key) => keys.indexOf(key)).filter((index) => index !== -1);
  const lengths = pages.map(({ length }) => length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const places = chooseAgain(lengths, inOrder, pagesToCompare(total, recheck), random);
  const { ends, stopped } = startWalkers(places, concurrency, async ({ slice, page }) => {
    const { filters, key } = slices[slice] as Slice;
    const ask = (cursor: string | undefined) => client.catalog(filters, { limit: pageSize, cursor, version }, signal);
    try {
      await compareAgain(pages[slice] ?? [], page, ask);
    } catch (error) {
      if (error instanceof SetMovedError) {
        await store.discard(key);
      }
      throw error;
    }
  });
  await stopped;
  await Promise.all(ends);
  return places.length;
}
