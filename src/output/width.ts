import stringWidth from "string-width";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Terminal cells that `text` takes, by grapheme and East Asian width (UAX #29, UAX #11). */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** `text` cut between graphemes to at most `width` cells, `…` in place of what is missing. */
export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) {
    return text;
  }
  let cut = "";
  let taken = 0;
  for (const { segment } of graphemes.segment(text)) {
    taken += widthOf(segment);
    if (taken > width - 1) {
      break;
    }
    cut += segment;
  }
  return `${cut}…`;
}

/** `text` with spaces up to `width` cells. */
export function pad(text: string, width: number, align: "left" | "right"): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "left" ? text + space : space + text;
}

/** Stands for a space that is not to be broken at; no text for a terminal holds one. */
const GLUE = "\0";

/**
 * `text` broken between words into lines of at most `width` cells. A word that is longer has a line of its own, and
 * what stands between backticks is one word: it is there to be pasted.
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
    if (line !== undefined && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = " ".repeat(indent) + word;
    } else {
      line = line === undefined ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join("\n");
}
