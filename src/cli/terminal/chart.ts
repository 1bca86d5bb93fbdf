import { dayNumber } from "../../contract/values/day-arithmetic.ts";

/**
 * Draws the days from `first` to `last` as a bar on the time line from `earliest` to `latest`, to half a cell.
 * All four are `YYYY-MM-DD`, inclusive.
 *
 * @returns exactly `width` cells; the bar takes at least one of them.
 */
export function rangeBar(earliest: string, latest: string, first: string, last: string, width: number): string {
  const halves = 2 * width;
  const days = daysBetween(earliest, latest) + 1;
  const start = Math.floor((daysBetween(earliest, first) * halves) / days);
  const end = Math.ceil(((daysBetween(earliest, last) + 1) * halves) / days);
  // A single half is drawn as the whole cell that contains it.
  const whole = start - (start % 2);
  const [from, to] = end - start < 2 ? [whole, whole + 2] : [start, end];
  const drawn = (half: number) => Number(half >= from && half < to);
  return Array.from({ length: width }, (_, cell) => HALVES[drawn(2 * cell) + 2 * drawn(2 * cell + 1)]).join("");
}

/** Blocks by the halves of a cell that they fill: none, left, right, both. */
const HALVES = [" ", "▌", "▐", "█"] as const;

function daysBetween(from: string, to: string): number {
  return dayNumber(to) - dayNumber(from);
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/** Draws a count as a bar, to an eighth of a cell; `width` cells stand for `most`. A count above 0 is always visible. */
export function countBar(count: number, most: number, width: number): string {
  const eighths = count > 0 ? Math.max(1, Math.round((count * width * 8) / most)) : 0;
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
}

const SHADES = ["░", "▒", "▓", "█"] as const;
const NOTHING = "·";

/**
 * Draws values as a line of shades, each `cells` wide: 0 as a dot, other values from light to full by their share of the
 * largest.
 */
export function heatLine(values: readonly number[], cells: number): string {
  const most = Math.max(0, ...values);
  const shadeOf = (value: number) =>
    value <= 0 ? NOTHING : (SHADES[Math.ceil((value / most) * SHADES.length) - 1] ?? SHADES[0]);
  return values.map((value) => shadeOf(value).repeat(cells)).join("");
}

const LEVELS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/**
 * Draws values as a line of blocks, scaled from the lowest to the highest; equal values give a flat line. If there are
 * more than `width` values, `width` of them are picked evenly, including the last.
 */
export function sparkline(values: readonly number[], width: number): string {
  const pick = (_: unknown, cell: number) => values[Math.round((cell * (values.length - 1)) / (width - 1))] ?? 0;
  const shown = values.length <= width ? values : Array.from({ length: width }, pick);
  const low = Math.min(...shown);
  const span = Math.max(...shown) - low;
  return shown
    .map((value) => LEVELS[span === 0 ? 3 : Math.round(((value - low) / span) * (LEVELS.length - 1))])
    .join("");
}
