import type { CatalogClient } from "../client/client.ts";
import type { CatalogPage } from "../client/responses/rows-response.ts";
import { brokenContract } from "../client/responses/shape.ts";
import type { Filters } from "../contract/filters.ts";

/** A walk fails after this many empty pages in a row with `has_more: true`. */
const EMPTY_PAGES = 3;

/** How the pages of a walk are requested. */
export interface PageRequests {
  pageSize: number;
  /** The version of the data that the coverage counted. Undefined if the service reports no versions. */
  version?: string | undefined;
  signal: AbortSignal;
}

/**
 * Follows the cursors from one page to the last. Memory: the cursors so far.
 *
 * @param start the cursor to begin with; undefined for the first page
 * @throws ContractError if a cursor repeats or too many pages are empty: the walk might never end
 */
export async function* pagesFrom(
  start: string | null | undefined,
  client: Pick<CatalogClient, "catalog">,
  filters: Filters,
  { pageSize, version, signal }: PageRequests,
): AsyncGenerator<CatalogPage, void, void> {
  const seen = new Set<string>();
  let emptyPages = 0;
  for (let cursor = start; cursor !== null; ) {
    const page = await client.catalog(filters, { limit: pageSize, cursor, version }, signal);
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
