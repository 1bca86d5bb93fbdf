import { createHash } from "node:crypto";
import type { CatalogClient } from "../client/client.ts";
import { ApiError } from "../contract/errors.ts";
import type { Filters } from "../contract/filters.ts";
import type { RowBatch } from "../rows/batch.ts";
import { assertUnmoved, SetMovedError, setFactsOf } from "./checks.ts";
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
export function pagesToRecheck(pages: number, percent = 1): number {
  if (percent === 0 || pages <= 1) {
    return 0;
  }
  return Math.min(pages, Math.max(MIN_RECHECKED, Math.ceil((pages * percent) / 100)));
}

/** A page in the store: the number of its slice, and its own number in the slice. */
interface PagePlace {
  slice: number;
  page: number;
}

/**
 * Chooses pages to read a second time. The oldest pages have had the most time to change, so half of those chosen are the
 * first pages of the slices that were begun earliest; the others are random.
 *
 * @param pages number of pages of each slice
 * @param begun the numbers of the slices, in the order in which they were begun
 */
export function choosePagesToRecheck(
  pages: readonly number[],
  begun: readonly number[],
  count: number,
  random: () => number,
): PagePlace[] {
  // With `maxRows`, walkers begin slices of which no page is needed in the end.
  const stored = begun.filter((slice) => pages[slice] !== 0);
  const places = stored.slice(0, Math.ceil(count / 2)).map((slice) => ({ slice, page: 0 }));
  const chosen = new Set(places.map(({ slice }) => slice));
  const others = pages.flatMap((length, slice) =>
    Array.from({ length }, (_, page) => ({ slice, page })).filter(({ page }) => page > 0 || !chosen.has(slice)),
  );
  while (places.length < count && others.length > 0) {
    places.push(...others.splice(Math.floor(random() * others.length), 1));
  }
  return places;
}

interface RecheckOptions extends PageRequests {
  concurrency: number;
  /** Percentage of the pages, see `pagesToRecheck`. */
  recheck?: number | undefined;
  /** IDs of slices in the order in which they were begun. */
  begun: readonly string[];
  random?: () => number;
}

/**
 * Reads some of the stored pages a second time, unless all are of one version of the data. Discards each slice that differs.
 *
 * @returns the number of pages that were read
 * @throws SetMovedError if one is different
 */
export async function recheckPages(
  client: CatalogClient,
  slices: readonly Slice[],
  store: PageStore,
  { concurrency, recheck, begun, random = Math.random, ...requests }: RecheckOptions,
): Promise<number> {
  const pages = slices.map(({ id }) => [...store.pagesOf(id)]);
  const { version } = requests;
  if (version !== undefined && pages.flat().every(({ set }) => set.version === version)) {
    return 0;
  }
  const ids = slices.map(({ id }) => id);
  const inOrder = begun.map((id) => ids.indexOf(id)).filter((index) => index !== -1);
  const lengths = pages.map(({ length }) => length);
  const places = choosePagesToRecheck(lengths, inOrder, pagesToRecheck(pages.flat().length, recheck), random);
  const { ends, stopped } = startWalkers(places, concurrency, async ({ slice, page }) => {
    const { filters, id } = slices[slice] as Slice;
    try {
      await recheckPage(pages[slice] ?? [], page, client, filters, requests);
    } catch (error) {
      if (error instanceof SetMovedError) {
        await store.discard(id);
      }
      throw error;
    }
  });
  await stopped;
  await Promise.all(ends);
  return places.length;
}

/** Whether the pages of a slice in the store are out of date. Unless their version tells, it asks for one of them again. */
export async function isOutOfDate(
  client: Pick<CatalogClient, "catalog">,
  { id, filters, group }: Slice,
  store: PageStore,
  requests: PageRequests,
): Promise<boolean> {
  const pages = store.pagesOf(id);
  const last = pages.at(-1);
  const { version } = requests;
  if (last === undefined || (version !== undefined && pages.every(({ set }) => set.version === version))) {
    return false;
  }
  if (group.slices === 1 && last.set.total !== null && last.set.total !== group.rows) {
    return true;
  }
  try {
    await recheckPage(pages, last.cursor === null ? 0 : pages.length - 1, client, filters, requests);
    return false;
  } catch (error) {
    if (error instanceof SetMovedError) {
      return true;
    }
    throw error;
  }
}

/**
 * Asks for a page a second time, perhaps in several shorter pages, and compares. If the service no longer accepts the cursor
 * of the page, it asks for the first page of the slice instead.
 *
 * @throws SetMovedError if the rows differ, or the page reports another set
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

export function isCursorRefused(error: unknown): boolean {
  return error instanceof ApiError && error.problem.code === "invalid_cursor";
}

/** Compares rows with those of pages that were read earlier, even if the pages are cut differently now. */
export function createComparison(earlier: readonly PageFacts[]) {
  // The only page of a slice may be empty: ranges of days are cut without knowing which of them have rows.
  const left = earlier.filter(({ rows }) => rows > 0);
  let compared = 0;
  let hash = createHash("sha256");
  return {
    isDone: () => left.length === 0,
    assertDone: (): void => {
      if (left.length > 0) {
        throw new SetMovedError("rows that were already read are missing now");
      }
    },
    take: (rows: RowBatch): void => {
      let taken = 0;
      for (let [page] = left; page !== undefined && taken < rows.length; [page] = left) {
        const part = rows.slice(taken, taken + page.rows - compared);
        hash.update(part.lines());
        taken += part.length;
        compared += part.length;
        if (compared === page.rows) {
          if (!hash.digest("hex").startsWith(page.digest)) {
            throw new SetMovedError("rows that were already read have changed");
          }
          left.shift();
          compared = 0;
          hash = createHash("sha256");
        }
      }
    },
  };
}
