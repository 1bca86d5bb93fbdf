import type { DayPrices } from "../../src/mirror/prices/day-prices.ts";

/** A row of which only the prices matter. */
export interface PriceRow {
  day: string;
  retailer: string;
  sku: string;
  selling_price: number;
  discount_pct: number;
  currency: string;
}

/** Rows as the columns of their days, oldest first, in the order given within a day. */
export async function* priceDays(rows: readonly PriceRow[]): AsyncGenerator<DayPrices, void, undefined> {
  const currencies = [...new Set(rows.map(({ currency }) => currency))];
  const retailers = [...new Set(rows.map(({ retailer }) => retailer))];
  for (const day of [...new Set(rows.map((row) => row.day))].sort()) {
    const own = rows.filter((row) => row.day === day);
    let end = 0;
    yield {
      day,
      rows: own.length,
      combinations: retailers.map((retailer) => ({ retailer, category: "lamps", department: "home" })),
      combination: Uint32Array.from(own, ({ retailer }) => retailers.indexOf(retailer)),
      skus: own.map(({ sku }) => sku).join(""),
      skuEnds: Uint32Array.from(own, ({ sku }) => {
        end += sku.length;
        return end;
      }),
      currencies,
      currency: Uint8Array.from(own, ({ currency }) => currencies.indexOf(currency)),
      mrp: Float64Array.from(own, (row) => row.selling_price),
      selling_price: Float64Array.from(own, (row) => row.selling_price),
      discount_pct: Float64Array.from(own, (row) => row.discount_pct),
    };
  }
}
