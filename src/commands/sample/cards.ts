import type { Screen } from "../../cli/terminal/style.ts";
import { linked, style } from "../../cli/terminal/style.ts";
import { type Cell, textCell } from "../../cli/terminal/tables/cell.ts";
import { rowCell } from "../../cli/terminal/tables/row-table.ts";
import { pad, widthOf } from "../../cli/terminal/width.ts";
import { memberOf } from "../../export/formats/row-members.ts";
import type { RowBatch } from "../../rows/batch.ts";

/** Renders each row as a card: its title, and a line for each of some columns. */
export function renderCards(rows: RowBatch, columns: readonly string[], { colour, links }: Screen): string {
  const width = Math.max(...columns.map(widthOf));
  const shown = ({ text, link }: Cell) => (links ? linked(text, link) : text);
  const cards = Array.from({ length: rows.length }, (_, row) => {
    const title = style("bold", `${row + 1}. ${shown(rowCell(rows, row, "title"))}`, colour);
    const members = columns.map((name) =>
      `  ${style("dim", pad(name, width, "left"), colour)}  ${shown(memberCell(rows, row, name))}`.trimEnd(),
    );
    return `${[title, ...members].join("\n")}\n`;
  });
  return cards.join("\n");
}

/** Null and the empty string are shown as JSON, so that they can be told apart. */
function memberCell(rows: RowBatch, row: number, column: string): Cell {
  const raw = memberOf(rows, row, column);
  return raw === "null" || raw === '""' ? { ...textCell(raw), style: "dim" } : rowCell(rows, row, column);
}
