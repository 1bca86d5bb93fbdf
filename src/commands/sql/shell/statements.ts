/** A quoted text, a comment, or any other character. What is not closed goes on to the end. */
const PART =
  /e'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|[\s\S]/gi;

/** The statements of a text, each up to its semicolon, and the text after the last one. Blank ones are left out. */
export function splitStatements(text: string): { statements: string[]; rest: string } {
  const statements: string[] = [];
  let from = 0;
  for (const { 0: part, index } of text.matchAll(PART)) {
    if (part === ";") {
      statements.push(text.slice(from, index));
      from = index + 1;
    }
  }
  const isText = (one: string) => one.trim() !== "";
  const rest = text.slice(from);
  return { statements: statements.filter(isText), rest: isText(rest) ? rest : "" };
}
