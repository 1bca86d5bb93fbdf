/**
 * Cuts JSON text into the raw text of its parts, so that numbers keep their digits (`19.90`, an integer beyond 2^53) and
 * strings keep their escapes. It does not validate. The text must be valid JSON.
 */

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Index of the first character at or after `index` that is not JSON white space (RFC 8259 section 2). */
function skipSpace(text: string, index: number): number {
  let at = index;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) {
      return at;
    }
    at += 1;
  }
}

/** Index just after the string that opens at `index`. */
function skipString(text: string, index: number): number {
  let end = text.indexOf('"', index + 1);
  for (;;) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) {
      backslashes += 1;
    }
    if (backslashes % 2 === 0) {
      return end + 1;
    }
    end = text.indexOf('"', end + 1);
  }
}

/** Index just after the value that starts at `index`. */
function skipValue(text: string, index: number): number {
  const first = text.charCodeAt(index);
  if (first === QUOTE) {
    return skipString(text, index);
  }
  return first === OPEN_BRACE || first === OPEN_BRACKET ? skipContainer(text, index) : skipLiteral(text, index);
}

/** Index just after the number or word that starts at `index`. */
function skipLiteral(text: string, index: number): number {
  let at = index;
  for (;;) {
    const code = text.charCodeAt(at);
    if (Number.isNaN(code) || code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || code <= 32) {
      return at;
    }
    at += 1;
  }
}

/** Index just after the object or array that opens at `index`. */
function skipContainer(text: string, index: number): number {
  let depth = 0;
  let at = index;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(text, at);
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
    }
    at += 1;
    if (depth === 0) {
      return at;
    }
  }
}

/** Raw text of each element of the array that is `text`. */
export function rawElements(text: string): string[] {
  const elements: string[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = skipValue(text, at);
    elements.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) {
      at = skipSpace(text, at + 1);
    }
  }
  return elements;
}

/** The raw value of each member of the object in `text`. As in `JSON.parse`, the last of several equal names counts. */
export function rawMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text.charCodeAt(at) !== CLOSE_BRACE) {
    const nameEnd = skipString(text, at);
    const rawName = text.slice(at + 1, nameEnd - 1);
    const name = rawName.includes("\\") ? (JSON.parse(`"${rawName}"`) as string) : rawName;
    at = skipSpace(text, nameEnd);
    if (text.charCodeAt(at) === COLON) {
      at = skipSpace(text, at + 1);
    }
    const end = skipValue(text, at);
    members.set(name, text.slice(at, end));
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) {
      at = skipSpace(text, at + 1);
    }
  }
  return members;
}
