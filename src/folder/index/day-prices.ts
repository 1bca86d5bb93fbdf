import type { Listings } from "./listings.ts";

/** What an index holds of the rows of a day, column by column. */
export interface IndexedColumns {
  /** A number of `Prices.listings`. */
  listing: Uint32Array;
  mrp: Float64Array;
  selling_price: Float64Array;
  discount_pct: Float64Array;
}

/** Prices column by column: one entry a row. */
export interface PriceColumns extends IndexedColumns {
  /** The place of the row's day in `Prices.dayNames`; 0 in an empty row. */
  dayNumber: Uint32Array;
  /** The number of the row in the file of its day. */
  place: Uint32Array;
}

/** The prices of one crawl day, in the order of the day's file. Entries from number `rows` on have no meaning. */
export interface DayPrices extends PriceColumns {
  /** `YYYY-MM-DD`. */
  day: string;
  rows: number;
}

/** The prices of the wanted rows of some days of a synced folder. */
export interface Prices {
  listings: Listings;
  /** The days of all rows by their number, which is from 1: the first of them stands for no day. */
  dayNames: readonly string[];
  /**
   * Oldest first, any number of times. Columns hold their day only until the next day is asked for.
   *
   * @param first days before it are skipped (`YYYY-MM-DD`)
   */
  days(first?: string): AsyncIterable<DayPrices>;
}

/** Bytes of columns with this number of rows: a multiple of 8, because an array of doubles must begin at one. */
export function bytesOfRows(rows: number): number {
  return Math.ceil((rows * (3 * 8 + 4)) / 8) * 8;
}

/** Columns with this number of rows, in the given bytes. */
export function columnsIn({ buffer, byteOffset }: Uint8Array, rows: number): IndexedColumns {
  const doubles = (index: number) => new Float64Array(buffer, byteOffset + index * rows * 8, rows);
  return {
    mrp: doubles(0),
    selling_price: doubles(1),
    discount_pct: doubles(2),
    listing: new Uint32Array(buffer, byteOffset + 3 * rows * 8, rows),
  };
}

/** Copies row number `row` of some prices to the place `at`. */
export function copyRow(target: PriceColumns, at: number, source: PriceColumns, row: number): void {
  target.listing[at] = source.listing[row] ?? 0;
  target.dayNumber[at] = source.dayNumber[row] ?? 0;
  target.place[at] = source.place[row] ?? 0;
  target.mrp[at] = source.mrp[row] ?? 0;
  target.selling_price[at] = source.selling_price[row] ?? 0;
  target.discount_pct[at] = source.discount_pct[row] ?? 0;
}
