/**
 * Makes outside text fit into one line of a message: control characters, format characters and white space become
 * single spaces, and text beyond `longest` characters is cut.
 */
export function plainText(text: string, longest = 300): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, " ").trim();
  const characters = [...line.slice(0, 2 * longest + 2)];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : line;
}
