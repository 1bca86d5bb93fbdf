import type { Lines } from "./lines.ts";
import type { SourceRow } from "./row.ts";

/** One JSON text a line; blank lines are skipped. */
export async function* readNdjson(blocks: AsyncIterable<Lines>): AsyncGenerator<SourceRow[]> {
  for await (const block of blocks) {
    const rows: SourceRow[] = [];
    let { line } = block;
    for (const ended of block.text.split("\n")) {
      const text = ended.endsWith("\r") ? ended.slice(0, -1) : ended;
      if (text.trim() !== "") {
        rows.push({ line, text });
      }
      line += 1;
    }
    yield rows;
  }
}
