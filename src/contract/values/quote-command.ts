/** A path as an operand: one that begins with a hyphen would be read as a flag. */
export function operand(path: string): string {
  return path.startsWith("-") ? `./${path}` : path;
}

/** Writes words as a command line that a POSIX shell splits into exactly these words. */
export function quoteCommand(words: readonly string[]): string {
  return words.map(quoteWord).join(" ");
}

function quoteWord(word: string): string {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word)) {
    return word;
  }
  // Control and format characters must not reach the terminal; `$'…'` (POSIX.1-2024) can escape them.
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(word) ? `$'${escaped(word)}'` : `'${word.replaceAll("'", "'\\''")}'`;
}

function escaped(word: string): string {
  return word.replace(/[\\'\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    if (character === "\\" || character === "'") {
      return `\\${character}`;
    }
    // Octal, because these escapes always end after three digits.
    return Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  });
}
