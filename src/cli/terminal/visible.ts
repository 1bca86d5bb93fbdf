/**
 * Escapes characters that a terminal would obey or hide: control characters (`\n`, `\x1b`), bidirectional overrides and
 * other invisible format characters (`\u202e`), line separators, halves of surrogate pairs. Backslashes are not escaped,
 * so the text is for display only.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, escapeOf);
}

const SHORT_ESCAPE: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code > 0xffff) {
    return `\\u{${hex}}`;
  }
  return SHORT_ESCAPE[character] ?? (code > 0xff ? `\\u${hex.padStart(4, "0")}` : `\\x${hex.padStart(2, "0")}`);
}
