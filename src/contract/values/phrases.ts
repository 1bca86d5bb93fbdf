/** A number with its noun: `1 row`, `1,234 rows`. */
export function plural(count: number, noun: string): string {
  return `${groupDigits(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The first names of a list and how many more there are: `acme, bolt and 1,234 more`. */
export function firstFew(names: readonly string[], maximum = 3, noun = ""): string {
  const more = names.length > maximum ? ` and ${groupDigits(names.length - maximum)} more${noun}` : "";
  return `${names.slice(0, maximum).join(", ")}${more}`;
}

/** `1234567.50` as `1,234,567.50`. */
export function groupDigits(digits: number | string): string {
  return String(digits).replace(/^(-?)(\d+)/, (_, sign: string, integer: string) => {
    const first = integer.length % 3 || 3;
    return sign + integer.slice(0, first) + integer.slice(first).replace(/\d{3}/g, ",$&");
  });
}

/** A value for a message: in quotes, with control characters escaped, and cut in the middle: a path keeps its file. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 39)}…${text.slice(-40)}` : text);
}
