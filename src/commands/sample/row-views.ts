import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { memberOf } from "../../output/formats/row-members.ts";
import type { Card } from "../../output/terminal/tables/card.ts";
import { type Cell, jsonCell, textCell } from "../../output/terminal/tables/cell.ts";
import type { Table } from "../../output/terminal/tables/table.ts";
import type { RowBatch } from "../../rows/batch.ts";

/** Columns in order of importance to a reader; a narrow terminal shows as many as fit. */
const FIRST = [
  "retailer",
  "title",
  "selling_price",
  "currency",
  "crawl_date",
  "category",
  "sku",
  "discount_pct",
  "mrp",
  "brand",
];

const BY_INTEREST = [...FIRST, ...PRODUCT_COLUMNS.filter((column) => !FIRST.includes(column))];

/** Columns that may move to the caption if all rows have the same value. */
export const SHARED: readonly string[] = [
  "retailer",
  "department",
  "category",
  "brand",
  "currency",
  "crawl_date",
  "discount_pct",
];

/** Smallest width of a title that still distinguishes products. */
const READABLE_TITLE = 32;

/** Columns that are useless when cut. */
const RIGID = new Set<string>(["mrp", "selling_price", "discount_pct", "currency", "crawl_date"]);

/** The column that holds the address which another links to. */
const LINKS: Readonly<Record<string, string>> = { title: "url", url: "url", image_url: "image_url" };

export function sampleTable(rows: RowBatch, columns: readonly string[] = BY_INTEREST): Table {
  return {
    columns: columns.map((heading) => ({
      heading,
      rigid: RIGID.has(heading),
      minimum: heading === "title" ? READABLE_TITLE : undefined,
    })),
    rows: Array.from({ length: rows.length }, (_, row) => columns.map((column) => rowCell(rows, row, column))),
  };
}

/** One member of a row; the title links to the product page, and an address links to itself. */
function rowCell(rows: RowBatch, row: number, column: string): Cell {
  const raw = (name: string) => rows.raw(row, rows.column(name)) ?? "null";
  const cell = jsonCell(raw(column));
  const address = LINKS[column];
  return address === undefined ? cell : { ...cell, link: JSON.parse(raw(address)) ?? undefined };
}

/** A card shows null and the empty string as JSON, so that both can be read. */
const NOTHING: Readonly<Record<string, string>> = { null: "null", '""': '""' };

/** One card for each row, with all columns or the chosen ones. */
export function sampleCards(rows: RowBatch, columns: readonly string[] = PRODUCT_COLUMNS): Card[] {
  return Array.from({ length: rows.length }, (_, row) => {
    const title = rowCell(rows, row, "title");
    return {
      title: { ...title, text: `${row + 1}. ${title.text}` },
      members: columns.map((name) => {
        const raw = memberOf(rows, row, name);
        const nothing = NOTHING[raw];
        const value: Cell = nothing === undefined ? rowCell(rows, row, name) : { ...textCell(nothing), style: "dim" };
        return { name, value };
      }),
    };
  });
}
