/** Shorter strings are no secrets, and replacing them would damage other text. */
const SHORTEST_SECRET = 8;

/** Maximum characters of a pattern; a much longer one overflows the stack. No API key is as long. */
const LONGEST_PATTERN = 200;

/**
 * Removes secrets from every text in a value: plain objects and arrays are copied, errors are changed in place. Objects of other
 * classes stay as they are.
 */
export type Redact = <T>(value: T) => T;

/** A `Redact` for secrets in every form that URLs and JSON give them. Without a secret it changes nothing. */
export function createRedact(...secrets: readonly (string | undefined)[]): Redact {
  const known = secrets.filter((secret): secret is string => (secret?.length ?? 0) >= SHORTEST_SECRET);
  if (known.length === 0) {
    return (value) => value;
  }
  const plain = patternOf(known, literal);
  let escaped: RegExp | undefined;
  /** @param copies by their originals, because a value may occur twice or contain itself, as the certificate in a TLS error does */
  const redact = (value: unknown, copies: Map<unknown, unknown>): unknown => {
    if (typeof value === "string") {
      if (!/[%\\]/.test(value)) {
        return value.replace(plain, "[redacted]");
      }
      // This pattern takes milliseconds to compile, and most texts have no escapes.
      escaped ??= patternOf(known, formsOf);
      return value.replace(escaped, "[redacted]");
    }
    if (copies.has(value)) {
      return copies.get(value);
    }
    if (Array.isArray(value)) {
      const copy: unknown[] = [];
      copies.set(value, copy);
      for (const item of value) {
        copy.push(redact(item, copies));
      }
      return copy;
    }
    if (value instanceof Error) {
      copies.set(value, value);
      const members = value as unknown as Record<string, unknown>;
      // The message, the stack and the cause are not enumerable.
      for (const name of Object.getOwnPropertyNames(value)) {
        members[name] = redact(members[name], copies);
      }
      return value;
    }
    if (isPlain(value)) {
      const copy = {};
      copies.set(value, copy);
      const members = Object.entries(value).map(([name, member]) => [redact(name, copies), redact(member, copies)]);
      return Object.assign(copy, Object.fromEntries(members));
    }
    return value;
  };
  return (value) => redact(value, new Map()) as typeof value;
}

/** Finds each secret in any letter case, because a host name is written in small letters. */
function patternOf(secrets: readonly string[], characterPattern: (character: string) => string): RegExp {
  const patterns = secrets.map((secret) => {
    const characters = [...secret];
    const start = characters.slice(0, LONGEST_PATTERN).map(characterPattern).join("");
    return characters.length > LONGEST_PATTERN ? `${start}\\S*` : start;
  });
  return new RegExp(patterns.join("|"), "giu");
}

function literal(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** A pattern for one character: as it is, percent-encoded (also several times), or escaped in JSON. */
function formsOf(character: string): string {
  const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0");
  const percent = [...Buffer.from(character)].map((byte) => `%(?:25)*${hex(byte, 2)}`).join("");
  const json = character.split("").map((unit) => `\\\\u${hex(unit.charCodeAt(0), 4)}`);
  return `(?:\\\\?${literal(character)}|${percent}|${json.join("")})`;
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
