/**
 * Cuts a command line into words as a shell would, without running anything in it. A quote that is still open reaches
 * to the end; a line that ends in white space has an empty last word.
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
