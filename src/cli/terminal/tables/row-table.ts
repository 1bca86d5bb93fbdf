import type { RowBatch } from "../../../rows/batch.ts";
import { batchOf } from "../../../rows/scan.ts";
import { type Cell, jsonCell, priceCell } from "./cell.ts";
import { WHOLE_SKU } from "./item-table.ts";
import type { Table } from "./table.ts";

/** Smallest width of a title that still distinguishes products, and of a sku. */
const MINIMUM: Readonly<Record<string, number>> = { title: 17, sku: WHOLE_SKU };

/** Columns that are useless when cut. */
const RIGID = /^(?:mrp|discount_pct|percent|kind|change|(?:\w+_)?(?:currency|date|seen|selling_price))$/;

/** Amounts in the currency of the row. */
const PRICE = /^(?:mrp|(?:\w+_)?(?:selling_price|price|mrp)|price_.+)$/;

/** The column that holds the address which another links to. */
const LINKS: Readonly<Record<string, string>> = { title: "url", url: "url", image_url: "image_url" };

/** A table of rows as they are written in other formats, with some of their columns. */
export function rowTable(rows: RowBatch, columns: readonly string[]): Table {
  return {
    columns: columns.map((heading) => ({ heading, rigid: RIGID.test(heading), minimum: MINIMUM[heading] })),
    rows: Array.from({ length: rows.length }, (_, row) => columns.map((column) => rowCell(rows, row, column))),
  };
}

/** As `rowTable`, of records that have the columns `known`. */
export function recordTable(records: readonly object[], known: readonly string[], columns: readonly string[]): Table {
  const texts = records.map((record) => JSON.stringify(record));
  return rowTable(batchOf(texts, known), columns);
}

/** One member of a row; the title links to the product page, and an address links to itself. */
export function rowCell(rows: RowBatch, row: number, column: string): Cell {
  const raw = (name: string) => rows.raw(row, rows.column(name)) ?? "null";
  const cell =
    PRICE.test(column) && /^[-\d]/.test(raw(column)) ? priceCell(raw(column), currencyOf(raw)) : jsonCell(raw(column));
  const address = LINKS[column];
  return address === undefined ? cell : { ...cell, link: JSON.parse(raw(address)) ?? undefined };
}

/** The currency of a row; empty without one. */
function currencyOf(raw: (name: string) => string): string {
  const currency: unknown = JSON.parse(raw("currency"));
  return typeof currency === "string" ? currency : "";
}
