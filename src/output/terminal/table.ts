import type { Cell } from "./cell.ts";
import { linked } from "./link.ts";
import { pad, truncate, widthOf } from "./width.ts";

export interface Column {
  heading: string;
  /** Never cut, as a column of numbers is not. */
  rigid?: boolean;
  /** Cells of text that say enough; other columns are left out rather than that this one is cut further. */
  minimum?: number | undefined;
}

export interface Table {
  columns: readonly Column[];
  /** Each as long as `columns`. */
  rows: readonly (readonly Cell[])[];
  /** Set off below the rows, for totals. */
  footer?: readonly Cell[] | undefined;
}

interface Layout {
  heading: string;
  index: number;
  numeric: boolean;
  width: number;
  /** Cells below which it is not cut; a column that would need less is left out. */
  minimum: number;
}

const GAP = "  ";
const READABLE = 8;

/**
 * Lays a table out for a terminal `width` cells wide, or as wide as it is when that is unknown. Columns of text are cut,
 * the widest first; where that does not suffice, columns are left out from the right.
 *
 * @returns the text, each line with its line end, and the headings of the columns left out.
 */
export function renderTable(
  table: Table,
  {
    width = Number.POSITIVE_INFINITY,
    colour = false,
    links = false,
  }: { width?: number | undefined; colour?: boolean; links?: boolean } = {},
): { text: string; hidden: string[] } {
  const natural = table.columns.map((column, index) => layoutOf(table, column, index));
  const shown = fitting(natural, width);
  shrink(shown, width);

  const bold = (text: string) => (colour ? `\x1b[1m${text}\x1b[22m` : text);
  const dim = (text: string) => (colour ? `\x1b[2m${text}\x1b[22m` : text);
  const line = (cells: readonly (Cell | undefined)[]) =>
    shown
      .map((layout) => place(cells[layout.index], layout, links))
      .join(GAP)
      .trimEnd();
  const rule = dim(shown.map((layout) => "─".repeat(layout.width)).join(GAP));

  const lines = [
    bold(line(table.columns.map(({ heading }) => ({ text: heading, numeric: false })))),
    rule,
    ...table.rows.map(line),
  ];
  if (table.footer !== undefined) {
    lines.push(rule, bold(line(table.footer)));
  }
  return {
    text: lines.map((text) => `${text}\n`).join(""),
    hidden: natural.slice(shown.length).map(({ heading }) => heading),
  };
}

function layoutOf({ rows, footer = [] }: Table, { heading, rigid, minimum = READABLE }: Column, index: number): Layout {
  const cells = [...rows, footer].flatMap((row) => row[index] ?? []);
  const numeric = cells.some((cell) => cell.numeric);
  const width = cells.reduce((widest, { text }) => Math.max(widest, widthOf(text)), widthOf(heading));
  return { heading, index, numeric, width, minimum: numeric || rigid ? width : Math.min(width, minimum) };
}

/** The columns, from the left, that fit when all are cut as far as they may be; the first always does. */
function fitting(columns: readonly Layout[], width: number): Layout[] {
  let taken = -GAP.length;
  const end = columns.findIndex(({ minimum }, index) => {
    taken += GAP.length + minimum;
    return index > 0 && taken > width;
  });
  return columns.slice(0, end === -1 ? columns.length : end);
}

/** Cuts the widest column cell by cell until the line fits or nothing may be cut any more. */
function shrink(columns: readonly Layout[], width: number): void {
  const gaps = GAP.length * (columns.length - 1);
  let excess = columns.reduce((sum, column) => sum + column.width, gaps) - width;
  while (excess > 0) {
    const [widest] = columns.filter(({ width, minimum }) => width > minimum).sort((a, b) => b.width - a.width);
    if (widest === undefined) {
      return;
    }
    widest.width -= 1;
    excess -= 1;
  }
}

function place(cell: Cell | undefined, { width, numeric }: Layout, links: boolean): string {
  const text = truncate(cell?.text ?? "", width);
  const placed = pad(text, width, numeric ? "right" : "left");
  return links && cell?.link !== undefined ? placed.replace(text, () => linked(text, cell.link)) : placed;
}
