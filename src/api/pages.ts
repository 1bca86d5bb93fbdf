import { hash } from "node:crypto";
import type { Filters } from "../contract/filters.ts";
import type { CatalogClient } from "./client.ts";
import type { CatalogPage } from "./responses/rows-response.ts";
import { brokenContract } from "./responses/shape.ts";

/** A walk fails after this many empty pages in a row with `has_more: true`. */
const EMPTY_PAGES = 3;

export interface PageWalkOptions {
  /** Rows a page, 1 to 500. */
  limit: number;
  /** Cursor of the first page, from an earlier walk with the same filters. */
  from?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * One walk over the pages that `filters` match, in the order of the service. It requests each page only when the caller
 * asks for it. Only `has_more: false` ends the walk. For each cursor it keeps a digest of 16 bytes.
 *
 * @throws ContractError if a cursor repeats or too many pages are empty; also everything that `client.catalog` throws,
 * such as an ApiError with `invalid_cursor`.
 */
export async function* walkPages(
  client: Pick<CatalogClient, "catalog">,
  filters: Filters,
  { limit, from, signal }: PageWalkOptions,
): AsyncGenerator<CatalogPage, void, undefined> {
  const seen = new Set<string>();
  let emptyPages = 0;
  let cursor = from;
  for (;;) {
    const page = await client.catalog(filters, { limit, cursor }, signal);
    const { has_more, next_cursor } = page.pagination;
    const { request_id } = page.meta;
    emptyPages = page.rows.length === 0 ? emptyPages + 1 : 0;
    if (has_more && emptyPages >= EMPTY_PAGES) {
      throw brokenContract(`${emptyPages} pages in a row without rows, though \`has_more\` is true`, request_id);
    }
    const digest = hash("sha256", next_cursor ?? "", "buffer").toString("latin1", 0, 16);
    if (has_more && seen.has(digest)) {
      throw brokenContract("`next_cursor` repeats the cursor of an earlier page", request_id);
    }
    yield page;
    if (!has_more) {
      return;
    }
    seen.add(digest);
    cursor = next_cursor ?? undefined;
  }
}
