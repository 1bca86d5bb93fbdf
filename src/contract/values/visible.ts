/**
 * Escapes characters that a terminal would obey or hide: control characters (`\n`, `\x1b`), invisible format characters
 * such as bidirectional overrides (`\u202e`), line separators, lone surrogates. Joiners between letters of Persian or Indic
 * scripts and between emoji stay, because they shape the text. Backslashes are not escaped, so the result is for display only.
 */
export function visible(text: string): string {
  return text.replace(/(?!(?<=[^\0-\x7f])[\u200c\u200d](?=[^\0-\x7f]))[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, escapeOf);
}

/** A value as JSON without the characters that `visible` escapes; `JSON.stringify` leaves some of them as they are. */
export function visibleJson(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character.split("").map(escaped).join(""),
  );
}

const SHORT_ESCAPE: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeOf(character: string): string {
  const code = Number(character.codePointAt(0));
  const hex = code.toString(16);
  if (code > 0xffff) {
    return `\\u{${hex}}`;
  }
  return SHORT_ESCAPE[character] ?? (code > 0xff ? `\\u${hex.padStart(4, "0")}` : `\\x${hex.padStart(2, "0")}`);
}
