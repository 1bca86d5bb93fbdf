import CliTable from "cli-table3";
import { linked, type Screen, style } from "../style.ts";
import { truncate, widthOf } from "../width.ts";
import { wrap } from "../wrap.ts";
import type { Cell } from "./cell.ts";

export interface Column {
  heading: string;
  /** Never cut; columns of numbers never are. */
  rigid?: boolean;
  /** The column is never narrower than this; other columns are left out instead. */
  minimum?: number | undefined;
}

export interface Table {
  columns: readonly Column[];
  /** Each as long as `columns`. */
  rows: readonly (readonly Cell[])[];
  /** Headings across all columns, by the index of the row below. */
  groups?: ReadonlyMap<number, string> | undefined;
  footer?: readonly Cell[] | undefined;
}

interface Layout {
  heading: string;
  index: number;
  numeric: boolean;
  width: number;
  /** The column is left out if it does not fit at this width. */
  minimum: number;
}

const GAP = "  ";
const EMPTY_CELL: Cell = { text: "", numeric: false };
const MIN_TEXT_WIDTH = 8;

type TableScreen = Partial<Screen>;

/**
 * Renders a table. To fit the width of the screen, if there is one, columns of text are cut, the widest first; if that is
 * not enough, columns are left out from the right.
 *
 * @returns lines, and the headings of columns that were left out
 */
export function renderTable(table: Table, screen: TableScreen = {}): { text: string; hidden: string[] } {
  const { width = Number.POSITIVE_INFINITY, colour = false } = screen;
  const natural = table.columns.map((column, index) => layoutOf(table, column, index));
  const shown = fitting(natural, width);
  shrink(shown, width);

  const headings = table.columns.map(({ heading }, index) => ({
    text: heading,
    numeric: natural[index]?.numeric === true,
  }));
  const drawn = drawnLines(
    [headings, ...table.rows, ...(table.footer === undefined ? [] : [table.footer])].map((row) =>
      shown.map((column) => drawnCell(row[column.index] ?? EMPTY_CELL, column, screen)),
    ),
  );
  const all = lineWidth(shown);
  const groupOf = (text: string | undefined) =>
    text === undefined ? [] : [style("bold", truncate(text, all), colour)];
  const bold = (line: string) => style("bold", line, colour);
  const ruleLine = style("dim", shown.map(({ width }) => "─".repeat(width)).join(GAP), colour);
  const end = 1 + table.rows.length;
  const body = drawn.slice(1, end).flatMap((row, index) => [...groupOf(table.groups?.get(index)), row]);
  const footer = drawn.slice(end).flatMap((line) => [ruleLine, bold(line)]);
  const lines = [...drawn.slice(0, 1).map(bold), ruleLine, ...body, ...footer];
  return {
    text: lines.map((text) => `${text}\n`).join(""),
    hidden: natural.slice(shown.length).map(({ heading }) => heading),
  };
}

const CHARS = {
  ...{ top: "", "top-mid": "", "top-left": "", "top-right": "" },
  ...{ bottom: "", "bottom-mid": "", "bottom-left": "", "bottom-right": "" },
  ...{ left: "", "left-mid": "", right: "", "right-mid": "", mid: "", "mid-mid": "", middle: "" },
} as const;

/** Lines that cli-table3 draws at once; its time grows with their square. */
const DRAWN_AT_ONCE = 100;

/**
 * Draws each row of padded cells as one cell of cli-table3, which would pad several by width tables of 2021 that are wrong for
 * links, emoji, Arabic and Indic text.
 */
function drawnLines(rows: readonly (readonly string[])[]): string[] {
  const lines: string[] = [];
  for (let first = 0; first < rows.length; first += DRAWN_AT_ONCE) {
    const drawing = new CliTable({
      chars: CHARS,
      style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
    });
    drawing.push(...rows.slice(first, first + DRAWN_AT_ONCE).map((row) => [row.join(GAP)]));
    lines.push(...drawing.toString().split("\n"));
  }
  return lines.map((line) => line.trimEnd());
}

function layoutOf(
  { rows, footer = [] }: Table,
  { heading, rigid, minimum = MIN_TEXT_WIDTH }: Column,
  index: number,
): Layout {
  const cells = [...rows, footer].flatMap((row) => row[index] ?? []);
  const numeric = cells.some((cell) => cell.numeric);
  const width = cells.reduce((widest, { text }) => Math.max(widest, widthOf(text)), widthOf(heading));
  return { heading, index, numeric, width, minimum: numeric || rigid ? width : Math.min(width, minimum) };
}

/** The leftmost columns that fit at their minimum widths; at least the first. */
function fitting(columns: readonly Layout[], width: number): Layout[] {
  let taken = -GAP.length;
  const end = columns.findIndex(({ minimum }, index) => {
    taken += GAP.length + minimum;
    return index > 0 && taken > width;
  });
  return columns.slice(0, end === -1 ? columns.length : end);
}

/** Narrows the widest column, one cell at a time, until the line fits or all columns have their minimum width. */
function shrink(columns: readonly Layout[], width: number): void {
  for (let excess = lineWidth(columns) - width; excess > 0; excess -= 1) {
    const [widest] = columns.filter(({ width, minimum }) => width > minimum).sort((a, b) => b.width - a.width);
    if (widest === undefined) {
      return;
    }
    widest.width -= 1;
  }
}

function lineWidth(columns: readonly Layout[]): number {
  return columns.reduce((sum, { width }) => sum + width, GAP.length * (columns.length - 1));
}

function drawnCell(cell: Cell, { width, numeric }: Layout, { colour = false, links }: TableScreen): string {
  const cut = truncate(cell.text, width);
  const styled = cell.style === undefined ? cut : style(cell.style, cut, colour);
  const text = links ? linked(styled, cell.link) : styled;
  const space = " ".repeat(Math.max(0, width - widthOf(cut)));
  return numeric ? space + text : text + space;
}

export function fullWidthOf(table: Table): number {
  return lineWidth(table.columns.map((column, index) => layoutOf(table, column, index)));
}

/**
 * Removes columns with the same value in all of several rows.
 *
 * @param candidates headings of columns that may be removed
 * @returns the table, and a line with the removed values: `retailer: acme · currency: EUR`
 */
export function withoutConstants(table: Table, candidates: readonly string[]): { table: Table; caption: string } {
  const [first, ...others] = table.rows;
  const isConstant = ({ heading }: Column, index: number) =>
    others.length > 0 &&
    candidates.includes(heading) &&
    others.every((row) => row[index]?.text === first?.[index]?.text);
  const kept = table.columns.flatMap((column, index) => (isConstant(column, index) ? [] : index));
  const only = <T>(values: readonly T[]) => kept.flatMap((index) => values[index] ?? []);
  return {
    table: {
      columns: only(table.columns),
      rows: table.rows.map(only),
      ...(table.footer !== undefined && { footer: only(table.footer) }),
    },
    caption: table.columns
      .flatMap(({ heading }, index) => (kept.includes(index) ? [] : `${heading}: ${first?.[index]?.text || '""'}`))
      .join(" · "),
  };
}

export function captioned(caption: string, table: string, { width, colour = false }: TableScreen): string {
  return caption === "" ? table : `${style("dim", wrap(caption, width), colour)}\n\n${table}`;
}

/** Renders a table below a caption with the columns of `candidates` that have the same value in all rows. */
export function renderCaptioned(
  table: Table,
  candidates: readonly string[],
  screen: TableScreen,
): ReturnType<typeof renderTable> {
  const { table: varying, caption } = withoutConstants(table, candidates);
  const { text, hidden } = renderTable(varying, screen);
  return { text: captioned(caption, text, screen), hidden };
}

/** A GitHub-flavoured Markdown table; texts are escaped, so that they are never read as markup or HTML. */
export function renderMarkdown({ columns, rows, footer }: Table): string {
  const all = footer === undefined ? rows : [...rows, footer];
  const alignments = columns.map((_, index) => (all.some((row) => row[index]?.numeric) ? "---:" : "---"));
  const headings = columns.map(({ heading }) => escapeMarkup(heading));
  const texts = all.map((row) => row.map(({ text }) => escapeMarkup(text)));
  return [headings, alignments, ...texts].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

/** Escapes characters that start markup anywhere in a line, and `_` outside words. */
function escapeMarkup(text: string): string {
  return text.replace(/[\\`*[\]<|~&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&");
}
