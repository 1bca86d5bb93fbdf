import type { RowBatch } from "../../../rows/batch.ts";
import { batchOf } from "../../../rows/scan.ts";
import { type Cell, jsonCell, priceCell } from "./cell.ts";
import { WHOLE_SKU } from "./item-table.ts";
import type { Table } from "./table.ts";

/** Minimum widths. A title of 17 cells still tells products apart. */
const MINIMUM: Readonly<Record<string, number>> = { title: 17, sku: WHOLE_SKU };

/** Columns that would be useless if they were cut. */
const RIGID = /^(?:mrp|discount_pct|percent|kind|change|(?:\w+_)?(?:currency|date|seen|selling_price))$/;

/** Amounts in the currency of the row. */
const PRICE = /^(?:mrp|(?:\w+_)?(?:selling_price|price|mrp)|price_.+)$/;

/** For each column that is a link: the column that holds its address. */
const LINKS: Readonly<Record<string, string>> = { title: "url", url: "url", image_url: "image_url" };

export function rowTable(rows: RowBatch, columns: readonly string[]): Table {
  return {
    columns: columns.map((heading) => ({ heading, rigid: RIGID.test(heading), minimum: MINIMUM[heading] })),
    rows: Array.from({ length: rows.length }, (_, row) => columns.map((column) => rowCell(rows, row, column))),
  };
}

/** Like `rowTable`, for records with the columns `known`. */
export function recordTable(records: readonly object[], known: readonly string[], columns: readonly string[]): Table {
  const texts = records.map((record) => JSON.stringify(record));
  return rowTable(batchOf(texts, known), columns);
}

/** The cell of one member. A title links to the product page, an address to itself. */
export function rowCell(rows: RowBatch, row: number, column: string): Cell {
  const raw = (name: string) => rows.raw(row, rows.column(name)) ?? "null";
  const cell =
    PRICE.test(column) && /^[-\d]/.test(raw(column))
      ? priceCell(raw(column), currencyOf(rows, raw, column))
      : jsonCell(raw(column));
  const address = LINKS[column];
  return address === undefined ? cell : { ...cell, link: JSON.parse(raw(address)) ?? undefined };
}

/** The currency of an amount: for `to_selling_price` that of `to_currency`, if there is one. */
function currencyOf(rows: RowBatch, raw: (name: string) => string, column: string): string {
  const own = `${/^\w+?_/.exec(column)?.[0] ?? ""}currency`;
  const currency: unknown = JSON.parse(raw(rows.column(own) === -1 ? "currency" : own));
  return typeof currency === "string" ? currency : "";
}
