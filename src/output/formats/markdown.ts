import type { Cell } from "../terminal/tables/cell.ts";
import type { Table } from "../terminal/tables/table.ts";

/** A GitHub-flavoured Markdown table; text is escaped, so that it is never read as markup or HTML. */
export function renderMarkdown({ columns, rows, footer }: Table): string {
  const all = footer === undefined ? rows : [...rows, footer];
  const alignments = columns.map((_, index) => (all.some((row) => row[index]?.numeric) ? "---:" : "---"));
  const headings = columns.map(({ heading }) => escapeMarkup(heading));
  return [headings, alignments, ...all.map(textsOf)].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

function textsOf(cells: readonly Cell[]): string[] {
  return cells.map(({ text }) => escapeMarkup(text));
}

/** Escapes characters that start markup anywhere in a line, and `_` outside words. */
function escapeMarkup(text: string): string {
  return text.replace(/[\\`*[\]<|~&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&");
}
