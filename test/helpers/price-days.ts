import type { Prices } from "../../src/folder/index/day-prices.ts";
import { growListings } from "../../src/folder/index/grow-listings.ts";
import { modelText, unpackListings } from "../../src/folder/index/listings.ts";

/** A row for tests about prices. */
export interface PriceRow {
  day: string;
  retailer: string;
  sku: string;
  selling_price: number;
  discount_pct: number;
  currency: string;
}

/** The rows of each day as columns, in the given order. Each day has another model number, which must not change a result. */
export function priceDays(rows: readonly PriceRow[]): Prices {
  const listings = growListings();
  const listed = rows.map((row) => ({
    ...row,
    listing: listings.add({
      rcd: `${row.retailer}:lamps:home`,
      sku: row.sku,
      currency: row.currency,
      title: `title of ${row.sku}`,
      model: modelText("", row.day),
    }),
  }));
  const dayNames = ["", ...[...new Set(rows.map((row) => row.day))].sort()];
  return {
    listings: unpackListings(listings.pack()),
    dayNames,
    days: async function* (first = "") {
      for (const day of dayNames.slice(1).filter((day) => day >= first)) {
        const own = listed.filter((row) => row.day === day);
        yield {
          day,
          rows: own.length,
          dayNumber: Uint32Array.from(own, () => dayNames.indexOf(day)),
          place: Uint32Array.from(own, (_, row) => row),
          listing: Uint32Array.from(own, ({ listing }) => listing),
          mrp: Float64Array.from(own, (row) => row.selling_price),
          selling_price: Float64Array.from(own, (row) => row.selling_price),
          discount_pct: Float64Array.from(own, (row) => row.discount_pct),
        };
      }
    },
  };
}
