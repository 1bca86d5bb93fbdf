import { isUtf8 } from "node:buffer";
import { LINE_FEED } from "../rows/json-bytes.ts";
import { RowError } from "./content-error.ts";

/** Several whole lines of UTF-8, with their line ends. */
export interface Lines {
  bytes: Buffer;
  /** Number of the first line, from 1. */
  line: number;
  /** Whether a byte order mark before the first line was dropped. */
  isMarked: boolean;
}

/** Longest line and longest CSV record, in bytes. This limits the memory that a source needs. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/**
 * Cuts bytes into whole lines and checks that they are UTF-8. A byte order mark at the start is dropped. Memory: one
 * chunk and one line.
 *
 * @throws RowError at the line that is not UTF-8 or too long
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Lines> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      const whole = bytes.subarray(0, end);
      yield* utf8Lines(whole, line);
      line += countNewlines(whole);
    }
    rest = bytes.subarray(end);
    if (rest.length > MAX_RECORD_BYTES) {
      throw new RowError({ line, found: "a longer line", expected: `a line of at most ${MAX_RECORD_BYTES} bytes` });
    }
  }
  if (rest.length > 0) {
    yield* utf8Lines(rest, line);
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

/** The lines; at one that is not UTF-8 it throws, after the lines before it. */
function* utf8Lines(bytes: Buffer, line: number): Generator<Lines> {
  const isMarked = line === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const from = isMarked ? BYTE_ORDER_MARK.length : 0;
  if (isUtf8(bytes)) {
    yield { bytes: bytes.subarray(from), line, isMarked };
    return;
  }
  const lines = bytes.toString("latin1").split("\n");
  const before = lines.findIndex((text) => !isUtf8(Buffer.from(text, "latin1")));
  const length = lines.slice(0, before).join("\n").length + Math.min(before, 1);
  yield { bytes: bytes.subarray(from, length), line, isMarked };
  throw new RowError({ line: line + before, found: "bytes that are not UTF-8", expected: "UTF-8 text" });
}
