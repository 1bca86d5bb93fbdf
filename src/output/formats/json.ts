import type { EncoderOptions, RowEncoder } from "./encoder.ts";
import { rowLine } from "./ndjson.ts";

/** One JSON array, one row a line; without rows the array is empty. */
export function createJsonEncoder(options: EncoderOptions): RowEncoder {
  const line = rowLine(options);
  let separator = options.continues ? ",\n" : "\n";
  return {
    begin: () => "[",
    encode: (rows) => {
      let text = "";
      for (const row of rows) {
        text += separator + line(row);
        separator = ",\n";
      }
      return text;
    },
    end: () => "\n]\n",
  };
}
