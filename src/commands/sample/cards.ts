import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { memberOf } from "../../output/formats/row-members.ts";
import type { Card } from "../../output/terminal/card.ts";
import { textCell } from "../../output/terminal/cell.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { rowCell } from "./rows-table.ts";

/** What a table leaves blank is two things to whoever judges the shape of the data. */
const NOTHING: Readonly<Record<string, string>> = { null: "null", '""': '""' };

/** One card for each row; all columns, or those chosen. */
export function sampleCards(rows: RowBatch, columns: readonly string[] = PRODUCT_COLUMNS): Card[] {
  return Array.from({ length: rows.length }, (_, row) => {
    const title = rowCell(rows, row, "title");
    return {
      title: { ...title, text: `${row + 1}. ${title.text}` },
      members: columns.map((name) => {
        const raw = memberOf(rows, row, name);
        return { name, value: raw in NOTHING ? textCell(NOTHING[raw] ?? "") : rowCell(rows, row, name) };
      }),
    };
  });
}
