import type { Lines } from "./lines.ts";
import type { SourceRow } from "./row.ts";

const NEWLINE = 10;
const RETURN = 13;

/** One JSON text a line; blank lines are skipped. */
export async function* readNdjson(blocks: AsyncIterable<Lines>): AsyncGenerator<SourceRow[]> {
  for await (const { bytes, line: firstLine } of blocks) {
    const rows: SourceRow[] = [];
    let line = firstLine;
    for (let start = 0; start < bytes.length; line += 1) {
      const newline = bytes.indexOf(NEWLINE, start);
      const end = newline === -1 ? bytes.length : newline;
      // Decoded line by line: one letter beyond Latin-1 doubles the memory and the time of its whole string.
      const text = bytes.toString("utf8", start, bytes[end - 1] === RETURN ? end - 1 : end);
      if (text.trim() !== "") {
        rows.push({ line, text });
      }
      start = end + 1;
    }
    yield rows;
  }
}
