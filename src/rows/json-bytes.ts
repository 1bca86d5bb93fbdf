/**
 * Finds where JSON values end, in bytes that are known to be UTF-8. Accepts the grammar of RFC 8259, which is what
 * `JSON.parse` accepts, and throws a SyntaxError for anything else. Nesting is not recursive: memory is one byte a
 * level.
 */

export const QUOTE = 34;
export const COMMA = 44;
export const COLON = 58;
export const BACKSLASH = 92;
export const OPEN_BRACKET = 91;
export const CLOSE_BRACKET = 93;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;
export const LINE_FEED = 10;
export const CARRIAGE_RETURN = 13;
export const SPACE = 32;
const TAB = 9;
const MINUS = 45;
const PLUS = 43;
const DOT = 46;
const ZERO = 48;
const NINE = 57;
const LETTER_E = 101;
const LETTER_U = 117;
/** Added to an ASCII upper-case letter, gives the lower-case one. */
const SMALL = 32;

/** 1 for bytes that need no escape in a string. */
const PLAIN = new Uint8Array(256).fill(1, SPACE);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;

/** 1 for bytes that may follow a backslash, except the "u" of a code unit. */
const SHORT_ESCAPES = tableOf('"\\/bfnrt');
const HEX_DIGITS = tableOf("0123456789abcdefABCDEF");
const WORDS = ["true", "false", "null"].map((word) => Buffer.from(word));

/** The bytes that close the open containers while a value is scanned, and the number of these. */
let closings = new Uint8Array(64);
let depth = 0;

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) {
    table[byte] = 1;
  }
  return table;
}

export function unexpected(bytes: Uint8Array, at: number): SyntaxError {
  const found = at < bytes.length ? `byte 0x${(bytes[at] ?? 0).toString(16).padStart(2, "0")}` : "end";
  return new SyntaxError(`unexpected ${found} at byte ${at}`);
}

/** Index of the first byte at or after `at` that is not white space. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let next = at;
  for (;;) {
    const byte = bytes[next];
    if (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) {
      return next;
    }
    next += 1;
  }
}

/** Index after the string; `at` is any index inside it, after its opening quote. */
export function endOfString(bytes: Uint8Array, at: number): number {
  let next = at;
  for (;;) {
    while (PLAIN[bytes[next] as number] === 1) {
      next += 1;
    }
    const byte = bytes[next];
    if (byte === QUOTE) {
      return next + 1;
    }
    if (byte !== BACKSLASH) {
      throw unexpected(bytes, next);
    }
    next = endOfEscape(bytes, next + 1);
  }
}

/** Index after the escape whose backslash is before `at`. */
export function endOfEscape(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] as number;
  if (SHORT_ESCAPES[byte] === 1) {
    return at + 1;
  }
  const end = at + 5;
  for (let next = at + 1; next < end; next += 1) {
    if (byte !== LETTER_U || HEX_DIGITS[bytes[next] as number] !== 1) {
      throw unexpected(bytes, byte === LETTER_U ? next : at);
    }
  }
  return end;
}

export function startsNumber(byte: number): boolean {
  return byte === MINUS || (byte >= ZERO && byte <= NINE);
}

/** Index after the number that begins at `at`. */
export function endOfNumber(bytes: Uint8Array, at: number): number {
  let next = bytes[at] === MINUS ? at + 1 : at;
  next = bytes[next] === ZERO ? next + 1 : endOfDigits(bytes, next);
  if (bytes[next] === DOT) {
    next = endOfDigits(bytes, next + 1);
  }
  if (((bytes[next] as number) | SMALL) === LETTER_E) {
    const sign = bytes[next + 1];
    next = endOfDigits(bytes, sign === PLUS || sign === MINUS ? next + 2 : next + 1);
  }
  return next;
}

/** Index after one or more digits. */
function endOfDigits(bytes: Uint8Array, at: number): number {
  let next = at;
  while ((bytes[next] as number) >= ZERO && (bytes[next] as number) <= NINE) {
    next += 1;
  }
  if (next === at) {
    throw unexpected(bytes, at);
  }
  return next;
}

function endOfScalar(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] as number;
  if (byte === QUOTE) {
    return endOfString(bytes, at + 1);
  }
  if (startsNumber(byte)) {
    return endOfNumber(bytes, at);
  }
  const word = WORDS.find((candidate) => candidate.equals(bytes.subarray(at, at + candidate.length)));
  if (word === undefined) {
    throw unexpected(bytes, at);
  }
  return at + word.length;
}

/** Index after the name of a member whose opening quote is expected at `at`. */
export function endOfName(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) {
    throw unexpected(bytes, at);
  }
  return endOfString(bytes, at + 1);
}

/** Index of the value after a colon, which is expected at `at` or after white space. */
export function valueAfterColon(bytes: Uint8Array, at: number): number {
  const colon = skipSpace(bytes, at);
  if (bytes[colon] !== COLON) {
    throw unexpected(bytes, colon);
  }
  return skipSpace(bytes, colon + 1);
}

/** Index after the value that begins at `at`, whatever it is. */
export function endOfValue(bytes: Uint8Array, at: number): number {
  let next = at;
  depth = 0;
  do {
    const byte = bytes[next];
    const isContainer = byte === OPEN_BRACE || byte === OPEN_BRACKET;
    next = isContainer ? enterContainer(bytes, next) : leaveContainers(bytes, endOfScalar(bytes, next));
  } while (depth > 0);
  return next;
}

/** Index of the first value in the container that begins at `at`; for an empty one, the result of `leaveContainers`. */
function enterContainer(bytes: Uint8Array, at: number): number {
  const closing = bytes[at] === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
  const first = skipSpace(bytes, at + 1);
  if (bytes[first] === closing) {
    return leaveContainers(bytes, first + 1);
  }
  if (depth === closings.length) {
    const larger = new Uint8Array(depth * 2);
    larger.set(closings);
    closings = larger;
  }
  closings[depth] = closing;
  depth += 1;
  return valueWithin(bytes, closing, first);
}

/** Closes the containers that end after a value. Returns the index of the next value, or after the outermost container. */
function leaveContainers(bytes: Uint8Array, at: number): number {
  let next = at;
  while (depth > 0) {
    const closing = closings[depth - 1] as number;
    next = skipSpace(bytes, next);
    if (bytes[next] === COMMA) {
      return valueWithin(bytes, closing, skipSpace(bytes, next + 1));
    }
    if (bytes[next] !== closing) {
      throw unexpected(bytes, next);
    }
    depth -= 1;
    next += 1;
  }
  return next;
}

/** Index of the value of an element at `at`, which has a name in an object. */
function valueWithin(bytes: Uint8Array, closing: number, at: number): number {
  return closing === CLOSE_BRACE ? valueAfterColon(bytes, endOfName(bytes, at)) : at;
}
