import type { Filters } from "../contract/filters.ts";
import { formatRcd } from "../contract/filters.ts";
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
  const wanted = filters.rcd === undefined ? undefined : new Set(filters.rcd.split(","));
  let before: ReadonlySet<string> = new Set();
  return (rows, requestId) => {
    const ids = new Set<string>();
    for (const row of rows) {
      const product = JSON.parse(row) as Product;
      const { product_id } = product;
      if (!isWithin(product, filters, wanted)) {
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

function isWithin(product: Product, filters: Filters, wanted: ReadonlySet<string> | undefined): boolean {
  return (
    (wanted === undefined || wanted.has(formatRcd(product))) &&
    (filters.retailer === undefined || product.retailer === filters.retailer) &&
    (filters.category === undefined || product.category === filters.category) &&
    (filters.department === undefined || product.department === filters.department) &&
    (filters.start_date === undefined || product.crawl_date >= filters.start_date) &&
    (filters.end_date === undefined || product.crawl_date <= filters.end_date)
  );
}
