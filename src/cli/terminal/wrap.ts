/** Stands for a space at which a line must not be wrapped. Never occurs in texts for a terminal. */
const GLUE = "\0";

/**
 * Wraps a text into lines of at most `width` cells. Longer words get their own line. Text between backticks stays together,
 * so that it can be pasted.
 *
 * @param text without control sequences
 * @param indent of the lines after the first
 */
export function wrap(text: string, width?: number, indent?: number): string {
  const glued = text.replace(/`[^`]*`/g, (command) => command.replaceAll(" ", GLUE));
  const words = glued.split(" ").map((word) => word.replaceAll(GLUE, " "));
  return fill(words, width, indent);
}

/** Joins words, which may contain spaces, into lines as `wrap` does. */
export function fill(words: readonly string[], width = Number.POSITIVE_INFINITY, indent = 0): string {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of words) {
    if (line !== undefined && maxCells(line) + 1 + maxCells(word) > width) {
      lines.push(line);
      line = " ".repeat(indent) + word;
    } else {
      line = line === undefined ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join("\n");
}

/** Characters from here on may be two cells wide. */
const FIRST_WIDE = "\u2e80";

/**
 * An upper bound of the width of a text. Loading the exact `widthOf` takes as long as the rest of a small command, and lines
 * may end a little early.
 */
function maxCells(text: string): number {
  return Array.from(text).reduce((cells, character) => cells + (character < FIRST_WIDE ? 1 : 2), 0);
}
