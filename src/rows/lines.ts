import type { RowBatch } from "./batch.ts";
import { CARRIAGE_RETURN, endOfString, LINE_FEED, QUOTE, skipSpace } from "./json-bytes.ts";

/** Whether there is a line break between two offsets. It can only be between tokens, never in a string (RFC 8259, 7). */
export function hasLineBreak(bytes: Buffer, start: number, end: number): boolean {
  const part = bytes.subarray(start, end);
  return part.includes(LINE_FEED) || part.includes(CARRIAGE_RETURN);
}

/**
 * The rows of an array as NDJSON in bytes of their own. A row that has a line break loses all white space between its
 * tokens.
 */
export function joinLines(rows: RowBatch): Buffer {
  const { bytes, length } = rows;
  // In `bytes` each row is followed by a comma or the closing bracket, so the line feeds fit.
  const joined = Buffer.allocUnsafe(bytes.length);
  let at = 0;
  for (let row = 0; row < length; row += 1) {
    const start = rows.start(row);
    const end = rows.end(row);
    at += hasLineBreak(bytes, start, end)
      ? copyTokens(bytes, start, end, joined, at)
      : bytes.copy(joined, at, start, end);
    joined[at] = LINE_FEED;
    at += 1;
  }
  return joined.subarray(0, at);
}

/** Copies JSON without the white space between its tokens; returns the number of bytes copied. */
function copyTokens(bytes: Buffer, start: number, end: number, target: Buffer, targetStart: number): number {
  let to = targetStart;
  for (let at = skipSpace(bytes, start); at < end; at = skipSpace(bytes, at)) {
    const next = bytes[at] === QUOTE ? endOfString(bytes, at + 1) : at + 1;
    to += bytes.copy(target, to, at, next);
    at = next;
  }
  return to - targetStart;
}
