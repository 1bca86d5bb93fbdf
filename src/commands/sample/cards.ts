import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { memberOf, membersOf } from "../../output/formats/row-members.ts";
import type { Card } from "../../output/terminal/card.ts";
import { textCell } from "../../output/terminal/cell.ts";
import { rowCell } from "./rows-table.ts";

/** What a table leaves blank is two things to whoever judges the shape of the data. */
const NOTHING: Readonly<Record<string, string>> = { null: "null", '""': '""' };

/** One card for each row, each the JSON text of a product; all columns, or those chosen. */
export function sampleCards(rows: readonly string[], columns: readonly string[] = PRODUCT_COLUMNS): Card[] {
  return rows.map((row, index) => {
    const members = membersOf(row);
    const title = rowCell(members, "title");
    return {
      title: { ...title, text: `${index + 1}. ${title.text}` },
      members: columns.map((name) => {
        const raw = memberOf(members, name);
        return { name, value: raw in NOTHING ? textCell(NOTHING[raw] ?? "") : rowCell(members, name) };
      }),
    };
  });
}
