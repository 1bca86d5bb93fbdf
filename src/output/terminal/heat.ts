const SHADES = ["░", "▒", "▓", "█"] as const;
const NOTHING = "·";

/**
 * Draws values as a line of shades, each `cells` wide: 0 as a dot, other values from light to full by their share of the
 * largest.
 */
export function heatLine(values: readonly number[], cells = 1): string {
  const most = Math.max(0, ...values);
  return values.map((value) => shadeOf(value, most).repeat(cells)).join("");
}

function shadeOf(value: number, most: number): string {
  if (value <= 0) {
    return NOTHING;
  }
  return SHADES[Math.ceil((value / most) * SHADES.length) - 1] ?? SHADES[0];
}
