import { daysBetween } from "../../contract/values/day-arithmetic.ts";

/**
 * Draws the days from `first` to `last` as a bar on the time line from `earliest` to `latest`, precise to half a cell. All
 * four are inclusive, `YYYY-MM-DD`.
 *
 * @returns exactly `width` cells, at least one of them filled
 */
export function rangeBar(earliest: string, latest: string, first: string, last: string, width: number): string {
  const halves = 2 * width;
  const days = daysBetween(earliest, latest);
  const start = Math.floor(((daysBetween(earliest, first) - 1) * halves) / days);
  const end = Math.ceil((daysBetween(earliest, last) * halves) / days);
  // A single half would be hard to see, so its whole cell is filled.
  const whole = start - (start % 2);
  const [from, to] = end - start < 2 ? [whole, whole + 2] : [start, end];
  const drawn = (half: number) => Number(half >= from && half < to);
  return Array.from({ length: width }, (_, cell) => HALVES[drawn(2 * cell) + 2 * drawn(2 * cell + 1)]).join("");
}

/** By the filled halves of a cell: none, left, right, both. */
const HALVES = [" ", "▌", "▐", "█"] as const;

const EIGHTHS = "▏▎▍▌▋▊▉";

/** Draws a count as a bar, precise to an eighth of a cell; `width` cells stand for `maximum`. Counts above 0 are visible. */
export function countBar(count: number, maximum: number, width: number): string {
  const eighths = count > 0 ? Math.max(1, Math.round((count * width * 8) / maximum)) : 0;
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS.charAt((eighths % 8) - 1);
}

const SHADES = "░▒▓█";
const NOTHING = "·";

/** Draws values as shades, each `cells` wide: 0 as a dot, the others from light to full by their share of the largest. */
export function heatLine(values: readonly number[], cells: number): string {
  const largest = Math.max(0, ...values);
  const shadeOf = (value: number) =>
    value <= 0 ? NOTHING : SHADES.charAt(Math.ceil((value / largest) * SHADES.length) - 1);
  return values.map((value) => shadeOf(value).repeat(cells)).join("");
}

const LEVELS = "▁▂▃▄▅▆▇█";

/**
 * Draws values as a line of blocks, scaled from the lowest to the highest. If there are more than `width` values, `width` of
 * them are drawn, evenly spaced and including the last.
 */
export function sparkline(values: readonly number[], width: number): string {
  const indexOf = (_: unknown, cell: number) => Math.round((cell * (values.length - 1)) / (width - 1));
  const shown =
    values.length <= width ? values : Array.from({ length: width }, indexOf).flatMap((index) => values[index] ?? []);
  const low = Math.min(...shown);
  const span = Math.max(...shown) - low;
  return shown
    .map((value) => LEVELS.charAt(span === 0 ? 3 : Math.round(((value - low) / span) * (LEVELS.length - 1))))
    .join("");
}
