import { isUtf8 } from "node:buffer";
import { RowError } from "./load-error.ts";

/** Several whole lines of UTF-8, with their line ends. */
export interface Lines {
  bytes: Buffer;
  /** Number of the first line, from 1. */
  line: number;
}

/** Longest line and longest CSV record, in bytes. This limits the memory that a source needs. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

const NEWLINE = 10;
const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/**
 * Cuts bytes into whole lines and checks that they are UTF-8. A byte order mark at the start is dropped. Holds one chunk
 * and one line in memory.
 *
 * @throws RowError at the line that is not UTF-8 or too long
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Lines> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const whole = bytes.subarray(0, end);
      yield utf8Lines(whole, line);
      line += countNewlines(whole);
    }
    rest = bytes.subarray(end);
    if (rest.length > MAX_RECORD_BYTES) {
      throw new RowError({ line, found: "a longer line", expected: `a line of at most ${MAX_RECORD_BYTES} bytes` });
    }
  }
  if (rest.length > 0) {
    yield utf8Lines(rest, line);
  }
}

/** The number of line ends in a text. */
export function countNewlines(text: string | Buffer): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    count += 1;
  }
  return count;
}

function utf8Lines(bytes: Buffer, line: number): Lines {
  if (!isUtf8(bytes)) {
    const lines = bytes.toString("latin1").split("\n");
    const before = lines.findIndex((text) => !isUtf8(Buffer.from(text, "latin1")));
    throw new RowError({ line: line + before, found: "bytes that are not UTF-8", expected: "UTF-8 text" });
  }
  const marked = line === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return { bytes: marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes, line };
}
