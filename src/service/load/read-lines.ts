import { isUtf8 } from "node:buffer";
import { RowError } from "./load-error.ts";

/** Whole lines of UTF-8, some at a time, with their line ends. */
export interface Lines {
  bytes: Buffer;
  /** Number of the first of them, from 1. */
  line: number;
}

/** Longest line and longest CSV record, in bytes; bounds the memory that a source can ask for. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

const NEWLINE = 10;
const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/**
 * Cuts bytes into whole lines and checks that they are UTF-8; a byte order mark at the start is dropped.
 * Holds one chunk and one line.
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
      yield checked(whole, line);
      line += countNewlines(whole);
    }
    rest = bytes.subarray(end);
    if (rest.length > MAX_RECORD_BYTES) {
      throw new RowError({ line, found: "a longer one", expected: `a line of at most ${MAX_RECORD_BYTES} bytes` });
    }
  }
  if (rest.length > 0) {
    yield checked(rest, line);
  }
}

/** How many line ends a text holds. */
export function countNewlines(text: string | Buffer): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    count += 1;
  }
  return count;
}

function checked(bytes: Buffer, line: number): Lines {
  if (!isUtf8(bytes)) {
    throw invalidUtf8(bytes, line);
  }
  const marked = line === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return { bytes: marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes, line };
}

function invalidUtf8(bytes: Buffer, firstLine: number): RowError {
  let line = firstLine;
  let start = 0;
  for (;;) {
    const newline = bytes.indexOf(NEWLINE, start);
    if (newline === -1 || !isUtf8(bytes.subarray(start, newline))) {
      return new RowError({ line, found: "bytes that are not UTF-8", expected: "UTF-8 text" });
    }
    start = newline + 1;
    line += 1;
  }
}
