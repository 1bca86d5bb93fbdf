/**
 * The lines of a text. Only LF ends a line: a value may contain other characters that some readers treat as line ends.
 *
 * @param onRest called with a last line that has no end; it is not yielded
 */
export async function* textLines(
  text: AsyncIterable<string>,
  onRest: (line: string) => void = () => {},
): AsyncGenerator<string, void, void> {
  let pending = "";
  for await (const part of text) {
    const lines = (pending + part).split("\n");
    pending = lines.pop() ?? "";
    yield* lines;
  }
  if (pending !== "") {
    onRest(pending);
  }
}
