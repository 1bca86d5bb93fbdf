import type { Filters } from "../contract/filters.ts";
import { formatRcd } from "../contract/filters.ts";
import type { Product } from "../contract/product.ts";
import { ContractError } from "../errors.ts";

/** A row came twice in one walk: the set shifted under the cursor. */
export class RepeatedRowError extends Error {
  override readonly name = "RepeatedRowError";
}

/**
 * Checks the rows of one walk as they pass: each lies within the filters, and none comes twice. Rows are ordered by
 * sku (contract section 4.3 rule 1) and equal rows have equal skus, so only the ids of the current sku are kept.
 */
export function createRowCheck(filters: Filters): (row: string, requestId: string) => void {
  const wanted = filters.rcd === undefined ? undefined : new Set(filters.rcd.split(","));
  let sku: string | undefined;
  let ids = new Set<string>();
  return (row, requestId) => {
    const product = JSON.parse(row) as Product;
    if (!isWithin(product, filters, wanted)) {
      throw new ContractError(
        `the service answered with row ${JSON.stringify(product.product_id)}, which is outside the filters that were sent`,
        requestId,
      );
    }
    if (product.sku !== sku) {
      sku = product.sku;
      ids = new Set();
    }
    if (ids.has(product.product_id)) {
      throw new RepeatedRowError(`row ${JSON.stringify(product.product_id)} came twice`);
    }
    ids.add(product.product_id);
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
