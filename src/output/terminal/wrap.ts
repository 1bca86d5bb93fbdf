/** Stands for a space that is not to be broken at; no text for a terminal holds one. */
const GLUE = "\0";

/**
 * `text`, which holds no control sequences, broken between words into lines of at most `width` cells. A word that is
 * longer has a line of its own, and what stands between backticks is one word: it is there to be pasted.
 *
 * @param indent cells by which the lines after the first are set off
 */
export function wrap(text: string, width?: number, indent?: number): string {
  const glued = text.replace(/`[^`]*`/g, (command) => command.replaceAll(" ", GLUE));
  const words = glued.split(" ").map((word) => word.replaceAll(GLUE, " "));
  return fill(words, width, indent);
}

/** Words, which may hold spaces, as lines of at most `width` cells; see `wrap`. */
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

/** From here on characters may be two cells wide. */
const WIDE = "\u2e80";

/**
 * Cells that `text` takes at most. Sentences are said by every command, and the exact measure takes as long to load as
 * the rest of a small one: a line that ends a little early is the lesser loss.
 */
function mostCells(text: string): number {
  return Array.from(text).reduce((cells, character) => cells + (character < WIDE ? 1 : 2), 0);
}
