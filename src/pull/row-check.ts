import { outsideFilters } from "../api/responses/envelope-response.ts";
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
