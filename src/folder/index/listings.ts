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

/** The texts of all listings one after another, in UTF-8, and where each of them ends, in bytes. */
export interface TextColumn {
  bytes: Buffer;
  ends: Uint32Array;
}

/** Listings as numbers and texts that can be stored. */
export interface PackedListings
  extends Pick<Listings, "combinations" | "currencies" | "product" | "combination" | "currency"> {
  skus: TextColumn;
  titles: TextColumn;
  models: TextColumn;
}

/** The brand and the model number in one text, separated by a line break. */
export function modelText(brand: string, modelNumber: string): string {
  return `${brand}\n${modelNumber}`;
}

/** The brand in a text that `modelText` made. A line break of the brand itself would end it. */
export function brandIn(model: string): string {
  return model.slice(0, model.indexOf("\n"));
}

export function unpackListings({ skus, titles, models, ...packed }: PackedListings): Listings {
  const { combinations, currencies, product, combination, currency } = packed;
  const textAt = ({ bytes, ends }: TextColumn, listing: number) =>
    bytes.toString("utf8", listing === 0 ? 0 : ends[listing - 1], ends[listing]);
  return {
    ...packed,
    listings: product.length,
    products: product.reduce((most, number) => Math.max(most, number + 1), 0),
    rcdOf: (listing) => combinations[combination[listing] ?? 0] as Rcd,
    currencyOf: (listing) => currencies[currency[listing] ?? 0] as string,
    skuOf: (listing) => textAt(skus, listing),
    titleOf: (listing) => textAt(titles, listing),
    modelOf: (listing) => textAt(models, listing),
    withSku: (sku) => {
      const { bytes, ends } = skus;
      const wanted = Buffer.from(sku);
      const found: number[] = [];
      for (let at = bytes.indexOf(wanted); at >= 0 && wanted.length > 0; at = bytes.indexOf(wanted, at + 1)) {
        const listing = firstEndAfter(ends, at);
        const start = listing === 0 ? 0 : ends[listing - 1];
        if (start === at && ends[listing] === at + wanted.length) {
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
