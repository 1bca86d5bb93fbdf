/**
 * Splits a command line into words like a shell, without running anything in it. An open quote extends to the end. If the
 * line ends in white space, the last word is empty.
 */
export function splitLine(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [part] of line.matchAll(/\\[\s\S]?|'[^']*'?|"(?:\\[\s\S]|[^"\\])*"?|\s+|[^\s\\'"]+/g)) {
    if (/^\s/.test(part)) {
      words.push(...(word === undefined ? [] : [word]));
      word = undefined;
    } else {
      word = (word ?? "") + unquoted(part);
    }
  }
  return [...words, word ?? ""];
}

function unquoted(part: string): string {
  switch (part[0]) {
    case "\\":
      return part.slice(1);
    case "'":
      return part.replace(/^'|'$/g, "");
    case '"':
      return part.replace(/^"|(?<!\\)"$/g, "").replace(/\\(["\\$`])/g, "$1");
    default:
      return part;
  }
}
