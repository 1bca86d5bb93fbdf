import type { Listings } from "./listings.ts";

/** The prices of one crawl day, column by column, in the order of the day's file: one entry a row. */
export interface DayPrices {
  /** `YYYY-MM-DD`. */
  day: string;
  rows: number;
  /** A number of `Prices.listings`. */
  listing: Uint32Array;
  mrp: Float64Array;
  selling_price: Float64Array;
  discount_pct: Float64Array;
}

/** The prices of some days of a synced folder. */
export interface Prices {
  listings: Listings;
  /** Oldest first, any number of times. Columns hold their day only until the next day is asked for. */
  days(): AsyncIterable<DayPrices>;
}

/** Bytes of a day with so many rows; a multiple of 8, since a number of 8 bytes can be read in place only from there on. */
export function bytesOfRows(rows: number): number {
  return Math.ceil((rows * (3 * 8 + 4)) / 8) * 8;
}

/** The columns within the bytes of a day. */
export function columnsIn({ buffer, byteOffset }: Uint8Array, rows: number): Omit<DayPrices, "day" | "rows"> {
  const doubles = (index: number) => new Float64Array(buffer, byteOffset + index * rows * 8, rows);
  return {
    mrp: doubles(0),
    selling_price: doubles(1),
    discount_pct: doubles(2),
    listing: new Uint32Array(buffer, byteOffset + 3 * rows * 8, rows),
  };
}
