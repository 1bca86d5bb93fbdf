import { randomInt } from "node:crypto";
import type { RowBatch } from "./batch.ts";
import { BACKSLASH } from "./json-bytes.ts";

/**
 * Finds the first row whose `product_id` an earlier row had, in this batch or one before; -1 if there is none.
 *
 * It compares 53-bit hashes of the ids, with a random seed: of 15,000 different ids, two have the same hash once in eighty
 * million checks, and another check tells them apart. Memory: about 50 bytes an id.
 */
export function createIdCheck(): (rows: RowBatch) => number {
  const seed = randomInt(2 ** 32);
  const known = new Set<number>();
  return (rows) => {
    const column = rows.column("product_id");
    for (let row = 0; row < rows.length; row += 1) {
      const before = known.size;
      known.add(hashOfId(rows.bytes, rows.valueStart(row, column), rows.valueEnd(row, column), seed));
      if (known.size === before) {
        return row;
      }
    }
    return -1;
  };
}

/** The hash of the text of an id: the same text can have different escapes. */
function hashOfId(bytes: Buffer, start: number, end: number, seed: number): number {
  for (let at = start; at < end; at += 1) {
    if (bytes[at] === BACKSLASH) {
      const text = Buffer.from(`"${JSON.parse(bytes.toString("utf8", start, end))}"`);
      return hashOfBytes(text, 0, text.length, seed);
    }
  }
  return hashOfBytes(bytes, start, end, seed);
}

/** The hash cyrb53 (bryc, public domain), of bytes. */
function hashOfBytes(bytes: Buffer, start: number, end: number, seed: number): number {
  let low = 0xdeadbeef ^ seed;
  let high = 0x41c6ce57 ^ seed;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    low = Math.imul(low ^ byte, 0x9e3779b1);
    high = Math.imul(high ^ byte, 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
