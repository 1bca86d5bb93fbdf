import { dayNumber } from "../../contract/days.ts";

interface Marks {
  full: string;
  left: string;
  right: string;
}

const BLOCKS: Marks = { full: "█", left: "▌", right: "▐" };
const ASCII: Marks = { full: "#", left: "#", right: "#" };

/**
 * Draws the days from `first` to `last` as a bar on the time line from `earliest` to `latest`, to half a cell.
 * All four are `YYYY-MM-DD`, inclusive.
 *
 * @returns exactly `width` cells; the bar takes at least one of them.
 */
export function rangeBar(
  earliest: string,
  latest: string,
  first: string,
  last: string,
  width: number,
  { ascii = false } = {},
): string {
  const halves = 2 * width;
  const days = daysBetween(earliest, latest) + 1;
  const start = Math.floor((daysBetween(earliest, first) * halves) / days);
  const end = Math.ceil(((daysBetween(earliest, last) + 1) * halves) / days);
  const [from, to] = end - start < 2 ? wholeCell(start) : [start, end];

  const marks = ascii ? ASCII : BLOCKS;
  return Array.from({ length: width }, (_, cell) => markOf(from <= 2 * cell, to >= 2 * cell + 2, cell)).join("");

  function markOf(leftReached: boolean, rightReached: boolean, cell: number): string {
    const touched = from < 2 * cell + 2 && to > 2 * cell;
    if (!touched) {
      return " ";
    }
    if (leftReached && rightReached) {
      return marks.full;
    }
    return leftReached ? marks.left : marks.right;
  }
}

/** The two half cells of the cell that contains `half`. */
function wholeCell(half: number): [number, number] {
  const start = half - (half % 2);
  return [start, start + 2];
}

function daysBetween(from: string, to: string): number {
  return dayNumber(to) - dayNumber(from);
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/** Draws a count as a bar, to an eighth of a cell; `width` cells stand for `most`. A count above 0 is always visible. */
export function countBar(count: number, most: number, width: number): string {
  const exact = most === 0 ? 0 : Math.round((count * width * 8) / most);
  const eighths = count > 0 ? Math.max(1, exact) : 0;
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
}
