import { hash } from "node:crypto";
import { outsideFilters } from "../api/responses/envelope-response.ts";
import type { CatalogPage } from "../api/responses/rows-response.ts";
import { brokenContract } from "../api/responses/shape.ts";
import type { Filters } from "../contract/filters.ts";
import type { RowBatch } from "../rows/batch.ts";
import { createFilterCheck } from "../rows/filter-check.ts";
import { IdSet } from "../rows/id-set.ts";
import { BACKSLASH } from "../rows/json-bytes.ts";

/** The set changed during the walk; the walk begins again. */
export class SetMovedError extends Error {
  override readonly name = "SetMovedError";
}

/**
 * Checks the pages of one walk as they pass: each row matches the filters, and no row appears twice in the walk.
 * Memory: the ids of the walk, see `IdSet`.
 */
export function createPageCheck(filters: Filters): (rows: RowBatch, requestId: string) => void {
  const firstOutside = createFilterCheck(filters);
  const ids = new IdSet();
  return (rows, requestId) => {
    const id = rows.column("product_id");
    const outside = firstOutside(rows);
    if (outside !== -1) {
      throw outsideFilters(`row ${rows.raw(outside, id)}`, requestId);
    }
    for (let row = 0; row < rows.length; row += 1) {
      if (!addId(ids, rows.bytes, rows.valueStart(row, id), rows.valueEnd(row, id))) {
        throw new SetMovedError(`row ${rows.raw(row, id)} was returned twice`);
      }
    }
  };
}

/** A walk fails after this many empty pages in a row with `has_more: true`. */
const EMPTY_PAGES = 3;

/**
 * Checks that the pages of one walk lead to an end: it throws a ContractError if a cursor repeats, or if too many pages are
 * empty. Memory: 16 bytes a page.
 */
export function createCursorCheck(): (page: CatalogPage) => void {
  const seen = new Set<string>();
  let emptyPages = 0;
  return ({ rows, pagination: { next_cursor }, meta: { request_id } }) => {
    emptyPages = rows.length === 0 ? emptyPages + 1 : 0;
    if (next_cursor === null) {
      return;
    }
    if (emptyPages >= EMPTY_PAGES) {
      throw brokenContract(`${emptyPages} pages in a row without rows, though \`has_more\` is true`, request_id);
    }
    const digest = hash("sha256", next_cursor, "buffer").toString("latin1", 0, 16);
    if (seen.has(digest)) {
      throw brokenContract("`next_cursor` repeats the cursor of an earlier page", request_id);
    }
    seen.add(digest);
  };
}

/** Adds the text of an id, because the same text can have different escapes. */
function addId(ids: IdSet, bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if (bytes[at] === BACKSLASH) {
      const text = Buffer.from(`"${JSON.parse(bytes.toString("utf8", start, end))}"`);
      return ids.add(text, 0, text.length);
    }
  }
  return ids.add(bytes, start, end);
}
