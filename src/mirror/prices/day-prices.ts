import type { Rcd } from "../../contract/filters.ts";

/**
 * The prices of one crawl day, column by column, in the order of the day's file: one entry a row. A sku is unique within
 * its retailer only (contract section 2.1).
 */
export interface DayPrices {
  /** `YYYY-MM-DD`. */
  day: string;
  rows: number;
  /** The combinations of the day; `combination` holds an index into them for each row. */
  combinations: readonly Rcd[];
  combination: Uint32Array;
  /** The skus of all rows, one after another; row `i` has those from `skuEnds[i - 1]` to `skuEnds[i]`, in UTF-16 units. */
  skus: string;
  skuEnds: Uint32Array;
  currencies: readonly string[];
  currency: Uint8Array;
  mrp: Float64Array;
  selling_price: Float64Array;
  discount_pct: Float64Array;
}

/** The sku of a row. */
export function skuOf({ skus, skuEnds }: DayPrices, row: number): string {
  return skus.slice(row === 0 ? 0 : skuEnds[row - 1], skuEnds[row]);
}

/** The rows of a sku, of any retailer. */
export function rowsOfSku({ skus, skuEnds }: DayPrices, sku: string): number[] {
  const found: number[] = [];
  for (let at = skus.indexOf(sku); at >= 0 && sku !== ""; at = skus.indexOf(sku, at + 1)) {
    const row = firstEndAfter(skuEnds, at);
    const start = row === 0 ? 0 : skuEnds[row - 1];
    if (start === at && skuEnds[row] === at + sku.length) {
      found.push(row);
    }
  }
  return found;
}

/** The first row that ends after the position `at`; ends rise. */
function firstEndAfter(ends: Uint32Array, at: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] ?? 0) > at) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}
