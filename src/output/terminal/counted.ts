/** A count with its noun: `1 row`, `1,234 rows`. */
export function counted(count: number, noun: string): string {
  return `${groupDigits(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The first of some names, with the number of the others: `acme, bolt and 1,234 more`. */
export function firstOf(names: readonly string[], most: number, noun = ""): string {
  const more = names.length > most ? ` and ${groupDigits(names.length - most)} more${noun}` : "";
  return `${names.slice(0, most).join(", ")}${more}`;
}

/** A change in percent: `+12.5 %`; empty without one. */
export function signedPercent(percent: number | undefined): string {
  return percent === undefined ? "" : `${percent > 0 ? "+" : ""}${percent.toFixed(1)} %`;
}

/** `1234567.50` as `1,234,567.50`. */
export function groupDigits(digits: number | string): string {
  const text = String(digits);
  const start = text.startsWith("-") ? 1 : 0;
  const end = start + (/^\d*/.exec(text.slice(start))?.[0].length ?? 0);
  const groups: string[] = [];
  for (let at = end; at > start; at -= 3) {
    groups.push(text.slice(Math.max(start, at - 3), at));
  }
  return `${text.slice(0, start)}${groups.reverse().join(",")}${text.slice(end)}`;
}
