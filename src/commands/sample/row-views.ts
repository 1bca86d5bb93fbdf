import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { memberOf } from "../../output/formats/row-members.ts";
import type { Card } from "../../output/terminal/tables/card.ts";
import { type Cell, textCell } from "../../output/terminal/tables/cell.ts";
import { rowCell } from "../../output/terminal/tables/row-table.ts";
import type { RowBatch } from "../../rows/batch.ts";

/** Columns in order of importance to a reader; a narrow terminal shows as many as fit. */
const FIRST = [
  "retailer",
  "title",
  "sku",
  "selling_price",
  "currency",
  "crawl_date",
  "category",
  "discount_pct",
  "mrp",
  "brand",
];

export const BY_INTEREST = [...FIRST, ...PRODUCT_COLUMNS.filter((column) => !FIRST.includes(column))];

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
