import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { memberOf } from "../../output/formats/row-members.ts";
import type { Card } from "../../output/terminal/tables/card.ts";
import { type Cell, textCell } from "../../output/terminal/tables/cell.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { rowCell } from "./rows-table.ts";

/** A card distinguishes null and the empty string, which a table shows alike. */
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
