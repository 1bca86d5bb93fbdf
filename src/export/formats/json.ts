import { rawMembers } from "../../contract/values/raw-json.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { LINE_FEED } from "../../rows/json-bytes.ts";
import type { EncoderOptions, RowEncoder } from "./encoder.ts";
import { ByteJoiner, byteText, byteTexts, columnsOf } from "./row-members.ts";

/** One row a line, each followed by LF; numbers and escapes are kept as the API wrote them. */
export function createNdjsonEncoder(options: EncoderOptions): RowEncoder {
  return { encode: (rows) => jsonLines(rows, options), end: () => [] };
}

/** One JSON array, one row a line; without rows the array is empty. */
export function createJsonEncoder(options: EncoderOptions): RowEncoder {
  let isFirst = true;
  return {
    encode: (rows) => {
      const lines = jsonLines(rows, options);
      // Each element is one byte longer than its line, for the bracket or comma before it.
      const elements = Buffer.allocUnsafe(lines.length + rows.length);
      let to = 0;
      for (let from = 0; from < lines.length; ) {
        const end = lines.indexOf(LINE_FEED, from);
        to += elements.write(isFirst ? "[\n" : ",\n", to);
        to += lines.copy(elements, to, from, end);
        from = end + 1;
        isFirst = false;
      }
      return elements.subarray(0, to);
    },
    end: () => [isFirst ? "[\n]\n" : "\n]\n"],
  };
}

/** The rows as lines of JSON: unchanged except for the partition columns, or with the chosen members in the chosen order. */
function jsonLines(rows: RowBatch, options: EncoderOptions): Buffer {
  const { chosen, partitionedBy = [] } = options;
  if (chosen === undefined && partitionedBy.length === 0) {
    return rows.lines();
  }
  if (chosen === undefined) {
    const texts = rows.texts().map((text) => `${withoutMembers(text, partitionedBy)}\n`);
    return Buffer.from(texts.join(""));
  }
  const columns = columnsOf(options);
  const starts = columns.map((name, index) => byteText(`${index === 0 ? "{" : ","}${JSON.stringify(name)}:`));
  const textOf = byteTexts(rows, columns);
  const lines = new ByteJoiner(rows.lines().length);
  for (let row = 0; row < rows.length; row += 1) {
    lines.add(`${starts.map((start, index) => start + textOf(row, index)).join("")}}\n`);
  }
  return lines.bytes();
}

function withoutMembers(text: string, left: readonly string[]): string {
  const members = [...rawMembers(text)].filter(([name]) => !left.includes(name));
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}
