/**
 * The raw text of each element of a JSON array, or of the names and values of an object in turn. Numbers keep their digits
 * (`19.90`, integers beyond 2^53) and strings their escapes.
 *
 * @param text valid JSON
 */
export function rawElements(text: string): string[] {
  const elements: string[] = [];
  const whole = text.trim();
  let depth = 0;
  let start = 1;
  for (let at = 0; at < whole.length; at += 1) {
    const character = whole[at];
    if (character === '"') {
      at = closingQuote(whole, at);
    } else if (character === "[" || character === "{") {
      depth += 1;
    } else if (character === "]" || character === "}") {
      depth -= 1;
    }
    if (depth === 0 || (depth === 1 && (character === "," || character === ":"))) {
      elements.push(whole.slice(start, at).trim());
      start = at + 1;
    }
  }
  return elements[0] === "" ? [] : elements;
}

/** The raw value of each member of a JSON object. As in `JSON.parse`, the last of several equal names counts. */
export function rawMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  const elements = rawElements(text);
  for (const [index, name] of elements.entries()) {
    const value = elements[index + 1];
    if (index % 2 === 0 && value !== undefined) {
      members.set(name.includes("\\") ? (JSON.parse(name) as string) : name.slice(1, -1), value);
    }
  }
  return members;
}

/** The index of the closing quote of the string at `start`: the next quote after an even number of backslashes. */
function closingQuote(text: string, start: number): number {
  let quote = start;
  let backslashes = 0;
  do {
    quote = text.indexOf('"', quote + 1);
    backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") {
      backslashes += 1;
    }
  } while (backslashes % 2 === 1);
  return quote;
}
