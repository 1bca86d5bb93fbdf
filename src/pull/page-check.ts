import { outsideFilters } from "../client/responses/envelope-response.ts";
import type { CatalogPage } from "../client/responses/rows-response.ts";
import { brokenContract } from "../client/responses/shape.ts";
import { ApiError } from "../contract/errors.ts";
import type { Filters } from "../contract/filters.ts";
import type { RowBatch } from "../rows/batch.ts";
import { createFilterCheck } from "../rows/filter-check.ts";
import { createIdCheck } from "../rows/id-check.ts";
import type { SetFacts } from "./store/page-store.ts";

/** The set is not what it was when it was counted, or when a page of it was read. It is planned again. */
export class SetMovedError extends Error {
  override readonly name = "SetMovedError";
}

/** Why the set has moved, if an error shows that it has: a new plan then helps. */
export function whyMoved(error: unknown): string | undefined {
  // The combination was in the coverage, but the service has removed it meanwhile.
  const isGone = error instanceof ApiError && /^unknown_/.test(error.problem.code ?? "");
  return isGone || error instanceof SetMovedError ? error.message : undefined;
}

/**
 * Checks the pages of one walk as they pass: each row matches the filters, no row appears twice in the walk, and all pages
 * report the same set. Memory: the hashes of its ids, see `createIdCheck`.
 *
 * @param counted number of the rows; undefined if the coverage does not tell it
 */
export function createPageCheck(filters: Filters, counted: number | undefined) {
  const firstOutside = createFilterCheck(filters);
  const firstRepeated = createIdCheck();
  let first: SetFacts | undefined;
  let count = 0;
  return {
    /**
     * @returns what the first page reported, which is the same
     * @throws ContractError, SetMovedError
     */
    add: (rows: RowBatch, set: SetFacts, requestId: string): SetFacts => {
      if (first === undefined && counted !== undefined && set.total !== null && set.total !== counted) {
        throw new SetMovedError(`coverage counted ${counted} rows, but total_matching is ${set.total}`);
      }
      first ??= set;
      assertUnmoved(first, set);
      count += rows.length;
      const id = rows.column("product_id");
      const outside = firstOutside(rows);
      if (outside !== -1) {
        throw outsideFilters(`row ${rows.raw(outside, id)}`, requestId);
      }
      const repeated = firstRepeated(rows);
      if (repeated !== -1) {
        throw new SetMovedError(`row ${rows.raw(repeated, id)} was returned twice`);
      }
      return first;
    },
    /** After the last page. @throws SetMovedError if rows are missing */
    assertComplete: (): void => {
      const total = first?.total ?? null;
      if (total !== null && count !== total) {
        throw new SetMovedError(`the walk ended after ${count} rows, but total_matching is ${total}`);
      }
    },
  };
}

/** @throws SetMovedError if two pages report different sets */
export function assertUnmoved(first: SetFacts, now: SetFacts): void {
  if (now.total !== first.total) {
    throw new SetMovedError(`total_matching changed from ${first.total} to ${now.total}`);
  }
  if (JSON.stringify(now.coverage) !== JSON.stringify(first.coverage)) {
    throw new SetMovedError("meta.coverage changed");
  }
}

/** A walk fails after this many empty pages in a row with `has_more: true`. */
const EMPTY_PAGES = 3;

/**
 * Follows the cursors from one page to the last. Memory: the cursors.
 *
 * @param start undefined for the first page
 * @throws ContractError if a cursor repeats, or if too many pages are empty, so that there may be no end
 */
export async function* pagesFrom(
  start: string | null | undefined,
  ask: (cursor: string | undefined) => Promise<CatalogPage>,
): AsyncGenerator<CatalogPage, void, void> {
  const seen = new Set<string>();
  let emptyPages = 0;
  for (let cursor = start; cursor !== null; ) {
    const page = await ask(cursor);
    cursor = page.pagination.next_cursor;
    emptyPages = page.rows.length === 0 ? emptyPages + 1 : 0;
    if (cursor !== null && emptyPages >= EMPTY_PAGES) {
      const what = `${emptyPages} pages in a row without rows, though \`has_more\` is true`;
      throw brokenContract(what, page.meta.request_id);
    }
    if (cursor !== null && seen.has(cursor)) {
      throw brokenContract("`next_cursor` repeats the cursor of an earlier page", page.meta.request_id);
    }
    seen.add(cursor ?? "");
    yield page;
  }
}

export function setFactsOf({ pagination, meta, version }: CatalogPage): SetFacts {
  const { corpus_rows: _, ...coverage } = meta.coverage;
  return { total: pagination.total_matching, coverage, ...(version !== undefined && { version }) };
}
