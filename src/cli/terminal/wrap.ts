/** Placeholder for a space that must not be wrapped at; never part of a text for a terminal. */
const GLUE = "\0";

/**
 * `text` without control sequences, wrapped between words into lines of at most `width` cells. A longer word has its own
 * line. Text between backticks is one word, so that it can be pasted.
 *
 * @param indent indentation of the lines after the first
 */
export function wrap(text: string, width?: number, indent?: number): string {
  const glued = text.replace(/`[^`]*`/g, (command) => command.replaceAll(" ", GLUE));
  const words = glued.split(" ").map((word) => word.replaceAll(GLUE, " "));
  return fill(words, width, indent);
}

/** Joins words into lines of at most `width` cells, as `wrap` does. A word may contain spaces. */
export function fill(words: readonly string[], width = Number.POSITIVE_INFINITY, indent = 0): string {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of words) {
    if (line !== undefined && mostCells(line) + 1 + mostCells(word) > width) {
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
 * Upper bound of the width of `text`. Every command writes sentences, and loading the exact measure takes as long as the
 * rest of a small command; a line that ends a little early is cheaper.
 */
function mostCells(text: string): number {
  return Array.from(text).reduce((cells, character) => cells + (character < FIRST_WIDE ? 1 : 2), 0);
}
