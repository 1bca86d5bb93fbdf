/**
 * Text that came from outside, fit for one line of a message: control and format characters and line
 * breaks become spaces, runs of space one, and what is longer than `longest` characters is cut.
 */
export function plainText(text: string, longest = 300): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, " ").trim();
  const characters = [...line.slice(0, 2 * longest + 2)];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : line;
}

/** Shorter strings are no secret, and redacting them would maim the text around. */
const SHORTEST_SECRET = 8;

/** Takes every occurrence of `secret` out of `text`. */
export function redact(text: string, secret: string): string {
  return secret.length < SHORTEST_SECRET ? text : text.replaceAll(secret, "[redacted]");
}
