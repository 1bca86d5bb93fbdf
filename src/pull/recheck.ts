import type { CatalogClient } from "../client/client.ts";
import type { Filters } from "../contract/filters.ts";
import { assertUnmoved, createComparison, isCursorRefused, OutdatedPlanError, setFactsOf } from "./checks.ts";
import { type PageRequests, pagesFrom } from "./follow-cursors.ts";
import type { Slice } from "./plan.ts";
import type { PageFacts, PageStore } from "./store/page-store.ts";
import { startWalkers } from "./walkers.ts";

/** Minimum number of pages to read a second time, if there are that many. */
const MIN_RECHECKED = 4;

/**
 * Number of pages to read a second time at the end of a pull, if the service does not report the version of its data. None for
 * a set of one page, which cannot mix two states of the data.
 *
 * @param percent of the pages
 */
export function recheckCount(pages: number, percent = 1): number {
  if (percent === 0 || pages <= 1) {
    return 0;
  }
  return Math.min(pages, Math.max(MIN_RECHECKED, Math.ceil((pages * percent) / 100)));
}

/** A page of the store that is read a second time. */
export interface StoredPageRef {
  slice: Slice;
  /** Its number in the slice, from 0. */
  page: number;
}

/**
 * Slices with at least one stored page that is not known to be of this version of the data. Pages of the same version cannot
 * differ.
 */
export function slicesToProve(
  slices: readonly Slice[],
  store: PageStore,
  version: string | undefined,
): readonly Slice[] {
  return slices.filter(({ id }) =>
    store.pagesOf(id).some(({ set }) => version === undefined || set.version !== version),
  );
}

interface RecheckOptions {
  /** Percentage of the pages, see `recheckCount`. */
  recheck?: number | undefined;
  /** IDs of slices in the order in which they were begun, those of an earlier run first. */
  begun: ReadonlySet<string>;
  /** IDs of the slices that an earlier run began. One page of each is always chosen. */
  older: ReadonlySet<string>;
  random?: (() => number) | undefined;
}

/**
 * Chooses the pages that are read a second time at the end of a pull. Old pages have had the most time to change, and the
 * first page of a long slice tells most about the set. So three quarters of the choice are, in this order: the first page
 * of the slice that was begun first, those of the slices of an earlier run, and those of the longest slices. The rest is random.
 */
export function choosePagesToRecheck(
  slices: readonly Slice[],
  store: PageStore,
  { recheck, begun, older, random = Math.random }: RecheckOptions,
): StoredPageRef[] {
  const all = slices.flatMap((slice) => store.pagesOf(slice.id).map((_, page) => ({ slice, page })));
  const ofBegun = [...begun].flatMap((id) => all.find(({ slice }) => slice.id === id) ?? []);
  const required = ofBegun.filter(({ slice }) => older.has(slice.id)).length;
  const count = Math.max(required, recheckCount(all.length, recheck));
  const isOlder = ({ slice }: StoredPageRef) => Number(older.has(slice.id));
  const lengthOf = ({ slice }: StoredPageRef) => store.pagesOf(slice.id).length;
  const later = ofBegun.splice(1).sort((a, b) => isOlder(b) - isOlder(a) || lengthOf(b) - lengthOf(a));
  const places = [...ofBegun, ...later].slice(0, Math.max(required, Math.ceil(count * 0.75)));
  const chosen = new Set(places);
  const others = all.filter((place) => !chosen.has(place));
  while (places.length < count) {
    places.push(...others.splice(Math.floor(random() * others.length), 1));
  }
  return places;
}

/**
 * Reads pages of the store a second time. Discards every slice with a page that differs.
 *
 * @returns how they differ
 */
export async function recheckPages(
  client: CatalogClient,
  store: PageStore,
  places: readonly StoredPageRef[],
  { concurrency, ...requests }: PageRequests & { concurrency: number },
): Promise<readonly OutdatedPlanError[]> {
  const known = places.map(({ slice }) => [...store.pagesOf(slice.id)]);
  const differences: OutdatedPlanError[] = [];
  const { ends, stopped } = startWalkers(places, concurrency, async ({ slice, page }, index) => {
    try {
      await recheckPage(known[index] ?? [], page, client, slice.filters, requests);
    } catch (error) {
      if (!(error instanceof OutdatedPlanError)) {
        throw error;
      }
      differences.push(error);
      await store.discard(slice.id);
    }
  });
  await stopped;
  await Promise.all(ends);
  return differences;
}

/**
 * Asks for a page a second time, perhaps in several shorter pages, and compares. If the service no longer accepts the cursor
 * of the page, it asks for the first page of the slice instead.
 *
 * @throws OutdatedPlanError if the rows differ, or the page reports another set
 */
async function recheckPage(
  pages: readonly PageFacts[],
  index: number,
  client: Pick<CatalogClient, "catalog">,
  filters: Filters,
  requests: PageRequests,
): Promise<void> {
  const known = pages[index] as PageFacts;
  const again = createComparison([known]);
  try {
    for await (const page of pagesFrom(pages[index - 1]?.cursor, client, filters, requests)) {
      assertUnmoved(known.set, setFactsOf(page));
      again.take(page.rows);
      if (again.isDone()) {
        return;
      }
    }
  } catch (error) {
    if (index > 0 && isCursorRefused(error)) {
      return await recheckPage(pages, 0, client, filters, requests);
    }
    throw error;
  }
  again.assertDone();
}
