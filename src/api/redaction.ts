/** Shorter strings are no secrets, and replacing them would damage other text. */
const SHORTEST_SECRET = 8;

/** Removes a secret from every text in a value: objects and arrays are copied, errors are changed in place. */
export type Redact = <T>(value: T) => T;

/** A `Redact` for `secret`, including its form in URLs and JSON. Without a secret it changes nothing. */
export function createRedact(secret: string | undefined): Redact {
  if (secret === undefined || secret.length < SHORTEST_SECRET) {
    return (value) => value;
  }
  const forms = [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])];
  const text = (value: string) => forms.reduce((rest, form) => rest.replaceAll(form, "[redacted]"), value);
  const members = (value: object) => Object.entries(value).map(([name, member]) => [text(name), redact(member)]);
  const redact = (value: unknown): unknown => {
    if (typeof value === "string") {
      return text(value);
    }
    if (Array.isArray(value)) {
      return value.map(redact);
    }
    if (value instanceof Error) {
      const { message, stack = "", cause } = value;
      return Object.assign(value, Object.fromEntries(members(value)), {
        message: text(message),
        stack: text(stack),
        ...(cause instanceof Error && { cause: redact(cause) }),
      });
    }
    return isPlain(value) ? Object.fromEntries(members(value)) : value;
  };
  return redact as Redact;
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
