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
  return String(digits).replace(/^(-?)(\d+)/, (_, sign: string, integer: string) => {
    const first = integer.length % 3 || 3;
    return sign + integer.slice(0, first) + integer.slice(first).replace(/\d{3}/g, ",$&");
  });
}
