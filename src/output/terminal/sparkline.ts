const LEVELS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/**
 * Draws values as a line of blocks, scaled from the lowest to the highest; equal values give a flat line. If there are
 * more than `width` values, `width` of them are picked evenly, including the last.
 */
export function sparkline(values: readonly number[], width: number): string {
  const shown = values.length <= width ? values : Array.from({ length: width }, (_, cell) => pick(values, cell, width));
  const low = Math.min(...shown);
  const span = Math.max(...shown) - low;
  return shown
    .map((value) => LEVELS[span === 0 ? 3 : Math.round(((value - low) / span) * (LEVELS.length - 1))])
    .join("");
}

function pick(values: readonly number[], cell: number, width: number): number {
  return values[Math.round((cell * (values.length - 1)) / (width - 1))] ?? 0;
}
