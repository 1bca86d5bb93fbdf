import stringWidth from "string-width";

/** Created lazily: creating it takes 10 ms. */
let graphemes: Intl.Segmenter | undefined;

/** The width of a text in terminal cells, by graphemes and East Asian width (UAX #29, UAX #11). */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Cuts a text between graphemes to at most `width` cells, ending in `…`. */
export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) {
    return text;
  }
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
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

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
