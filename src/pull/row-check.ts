import { combinationFilter, dayFilter } from "../contract/filter-match.ts";
import type { Filters } from "../contract/filters.ts";
import type { Product } from "../contract/product.ts";
import { ContractError } from "../errors.ts";

/** A row came twice in one walk: the set shifted under the cursor. */
export class RepeatedRowError extends Error {
  override readonly name = "RepeatedRowError";
}

/**
 * Checks the pages of one walk as they pass: each row lies within the filters, and none comes twice. A set that shifts
 * under a cursor repeats rows of the page before, so only the ids of two pages are kept.
 */
export function createPageCheck(filters: Filters): (rows: readonly string[], requestId: string) => void {
  const isOfCombination = combinationFilter(filters);
  const isOfDay = dayFilter(filters);
  let before: ReadonlySet<string> = new Set();
  return (rows, requestId) => {
    const ids = new Set<string>();
    for (const row of rows) {
      const product = JSON.parse(row) as Product;
      const { product_id } = product;
      if (!(isOfCombination(product) && isOfDay(product.crawl_date))) {
        throw new ContractError(
          `the service answered with row ${JSON.stringify(product_id)}, which is outside the filters that were sent`,
          requestId,
        );
      }
      if (ids.has(product_id) || before.has(product_id)) {
        throw new RepeatedRowError(`row ${JSON.stringify(product_id)} came twice`);
      }
      ids.add(product_id);
    }
    before = ids;
  };
}
