/** Each unit with its seconds, and the seconds of the next larger unit. */
const UNITS = [
  ["d", 86_400, Number.POSITIVE_INFINITY],
  ["h", 3_600, 86_400],
  ["min", 60, 3_600],
  ["s", 1, 60],
] as const;

/** A duration in its two largest units: `45 s`, `3 min 20 s`, `2 h 5 min`. Rounds up to seconds. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const counts = UNITS.map(([unit, size, larger]) => ({ unit, count: Math.floor((seconds % larger) / size) }));
  const largest = counts.findIndex(({ count }) => count > 0);
  const shown = counts.slice(largest, largest + 2).filter(({ count }) => count > 0);
  return shown.map(({ unit, count }) => `${count} ${unit}`).join(" ") || "0 s";
}
