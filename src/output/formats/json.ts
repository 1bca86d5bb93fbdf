import type { EncoderOptions, RowEncoder } from "./encoder.ts";
import { linesOf } from "./ndjson.ts";
import { OutputBytes } from "./output-bytes.ts";

const LINE_FEED = 10;

/** One JSON array, one row a line; without rows the array is empty. */
export function createJsonEncoder(options: EncoderOptions): RowEncoder {
  let separator = options.continues ? ",\n" : "\n";
  return {
    begin: () => "[",
    encode: (rows) => {
      const lines = linesOf(rows, options);
      const output = new OutputBytes(lines.length + rows.length * separator.length);
      for (let start = 0; start < lines.length; ) {
        const end = lines.indexOf(LINE_FEED, start);
        output.addText(separator);
        output.addPart(lines, start, end);
        separator = ",\n";
        start = end + 1;
      }
      return output.taken();
    },
    end: () => "\n]\n",
  };
}
