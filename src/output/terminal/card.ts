import type { Cell } from "./cell.ts";
import { linked } from "./link.ts";
import { pad, widthOf } from "./width.ts";

/** One row, shown whole: nothing is cut, a member a line. */
export interface Card {
  title: Cell;
  members: readonly { name: string; value: Cell }[];
}

/** Lays cards out below one another, an empty line between them, the values of all in one column. */
export function renderCards(cards: readonly Card[], { colour = false, links = false } = {}): string {
  const bold = (text: string) => (colour ? `\x1b[1m${text}\x1b[22m` : text);
  const dim = (text: string) => (colour ? `\x1b[2m${text}\x1b[22m` : text);
  const width = Math.max(0, ...cards.flatMap(({ members }) => members.map(({ name }) => widthOf(name))));
  const shown = ({ text, link }: Cell) => (links ? linked(text, link) : text);
  return cards
    .map(({ title, members }) => {
      const lines = members.map(({ name, value }) => `  ${dim(pad(name, width, "left"))}  ${shown(value)}`.trimEnd());
      return `${[bold(shown(title)), ...lines].join("\n")}\n`;
    })
    .join("\n");
}
