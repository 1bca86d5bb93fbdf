import type { Readable } from "node:stream";
import { rawMembers } from "../../contract/values/raw-json.ts";
import type { RowBatch } from "../../rows/batch.ts";
import type { EncoderOptions, RowCode, RowEncoder } from "./encoder.ts";
import { byteText, byteTexts, columnsOf } from "./row-members.ts";

/** One row a line, each followed by LF; numbers and escapes are kept as the API wrote them. */
export const NDJSON: RowCode = {
  createEncoder: (options) => ({ begin: () => "", encode: (rows) => jsonLines(rows, options), end: () => "" }),
  read: (file) => rowsOfLines(file.content(), (line) => line),
};

/** One JSON array, one row a line; without rows the array is empty. */
export const JSON_ARRAY: RowCode = {
  createEncoder: createJsonEncoder,
  read: (file) =>
    rowsOfLines(file.content(), (line) => (line === "[" || line === "]" ? undefined : line.replace(/,$/, ""))),
};

function createJsonEncoder(options: EncoderOptions): RowEncoder {
  let separator = "\n";
  return {
    begin: () => "[",
    encode: (rows) => {
      if (rows.length === 0) {
        return "";
      }
      const lines = jsonLines(rows, options).toString("latin1");
      const text = separator + lines.slice(0, -1).replaceAll("\n", ",\n");
      separator = ",\n";
      return Buffer.from(text, "latin1");
    },
    end: () => "\n]\n",
  };
}

/** The rows as lines of JSON: unchanged but for what the folders name, or with the chosen members in the chosen order. */
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
  let lines = "";
  for (let row = 0; row < rows.length; row += 1) {
    lines += `${starts.map((start, index) => start + textOf(row, index)).join("")}}\n`;
  }
  return Buffer.from(lines, "latin1");
}

function withoutMembers(text: string, left: readonly string[]): string {
  const members = [...rawMembers(text)].filter(([name]) => !left.includes(name));
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}

async function* rowsOfLines(bytes: Readable, rowOf: (line: string) => string | undefined): AsyncGenerator<unknown> {
  let number = 0;
  for await (const line of wholeLines(bytes)) {
    number += 1;
    const row = rowOf(line);
    if (row === undefined) {
      continue;
    }
    let value: unknown;
    try {
      value = JSON.parse(row);
    } catch {
      throw new Error(`line ${number} is not JSON`);
    }
    yield value;
  }
}

/** The lines of a text. Only LF ends a line: a value may contain other characters that some readers treat as line ends. */
export async function* wholeLines(bytes: Readable): AsyncGenerator<string, void, void> {
  let pending = "";
  for await (const part of bytes.setEncoding("utf8")) {
    const lines = (pending + part).split("\n");
    pending = lines.pop() ?? "";
    yield* lines;
  }
  if (pending !== "") {
    throw new Error("the last line has no end");
  }
}
