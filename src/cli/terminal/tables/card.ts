import { linked, style } from "../style.ts";
import { pad, widthOf } from "../width.ts";
import type { Cell } from "./cell.ts";

/** One row shown in full, one member a line. */
export interface Card {
  title: Cell;
  members: readonly { name: string; value: Cell }[];
}

/** Renders cards below each other, separated by an empty line, with the values of all cards aligned. */
export function renderCards(cards: readonly Card[], { colour, links }: { colour: boolean; links: boolean }): string {
  const width = Math.max(0, ...cards.flatMap(({ members }) => members.map(({ name }) => widthOf(name))));
  const shown = ({ text, link }: Cell) => (links ? linked(text, link) : text);
  return cards
    .map(({ title, members }) => {
      const lines = members.map(({ name, value }) =>
        `  ${style("dim", pad(name, width, "left"), colour)}  ${shown(value)}`.trimEnd(),
      );
      return `${[style("bold", shown(title), colour), ...lines].join("\n")}\n`;
    })
    .join("\n");
}
