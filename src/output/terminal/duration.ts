const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** A duration in its two largest units, such as `45 s`, `3 min 20 s`, `2 h 5 min`; seconds are rounded up. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const largest = UNITS.findIndex(([, size]) => seconds >= size);
  if (largest === -1) {
    return "0 s";
  }
  let rest = seconds;
  const parts: string[] = [];
  for (const [unit, size] of UNITS.slice(largest, largest + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) {
      parts.push(`${count} ${unit}`);
    }
  }
  return parts.join(" ");
}
