import type { Rcd } from "../../contract/filters.ts";

/**
 * What rows share that differ only in their day and their prices: combination, sku, currency, title, brand and model
 * number. Listings are numbered from 0, and so are products: a product is one sku of one retailer (contract
 * section 2.1).
 */
export interface Listings {
  listings: number;
  products: number;
  combinations: readonly Rcd[];
  currencies: readonly string[];
  /** For each listing its product, and its index into `combinations` and `currencies`. */
  product: Uint32Array;
  combination: Uint32Array;
  currency: Uint32Array;
  rcdOf(listing: number): Rcd;
  currencyOf(listing: number): string;
  skuOf(listing: number): string;
  titleOf(listing: number): string;
  /** The brand and the model number as `modelText` writes them. */
  modelOf(listing: number): string;
  /** The listings of a sku, of any retailer. */
  withSku(sku: string): number[];
}

/** Listings as numbers and texts that can be stored. */
export interface PackedListings {
  combinations: readonly Rcd[];
  currencies: readonly string[];
  /** Columns of equal length: product, combination, currency, and where each sku, title and model ends. */
  columns: readonly [Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  /** The texts of all listings one after another, in UTF-8; ends are in bytes. */
  skus: Buffer;
  titles: Buffer;
  models: Buffer;
}

/** The brand and the model number in one text, separated by a line break. */
export function modelText(brand: string, modelNumber: string): string {
  return `${brand}\n${modelNumber}`;
}

/** The brand in a text that `modelText` made. A line break of the brand itself would end it. */
export function brandIn(model: string): string {
  return model.slice(0, model.indexOf("\n"));
}

export function unpackListings({ combinations, currencies, columns, skus, titles, models }: PackedListings): Listings {
  const [product, combination, currency, skuEnds, titleEnds, modelEnds] = columns;
  const textAt = (texts: Buffer, ends: Uint32Array, listing: number) =>
    texts.toString("utf8", listing === 0 ? 0 : ends[listing - 1], ends[listing]);
  return {
    listings: product.length,
    products: product.reduce((most, number) => Math.max(most, number + 1), 0),
    ...{ combinations, currencies, product, combination, currency },
    rcdOf: (listing) => combinations[combination[listing] ?? 0] as Rcd,
    currencyOf: (listing) => currencies[currency[listing] ?? 0] as string,
    skuOf: (listing) => textAt(skus, skuEnds, listing),
    titleOf: (listing) => textAt(titles, titleEnds, listing),
    modelOf: (listing) => textAt(models, modelEnds, listing),
    withSku: (sku) => {
      const bytes = Buffer.from(sku);
      const found: number[] = [];
      for (let at = skus.indexOf(bytes); at >= 0 && bytes.length > 0; at = skus.indexOf(bytes, at + 1)) {
        const listing = firstEndAfter(skuEnds, at);
        const start = listing === 0 ? 0 : skuEnds[listing - 1];
        if (start === at && skuEnds[listing] === at + bytes.length) {
          found.push(listing);
        }
      }
      return found;
    },
  };
}

/** The first listing that ends after the position `at`; ends are ascending. */
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
