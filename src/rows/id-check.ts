import { randomInt } from "node:crypto";
import type { RowBatch } from "./batch.ts";
import { BACKSLASH } from "./json-bytes.ts";

/**
 * Finds the first row whose `product_id` an earlier row had, in this batch or one before; -1 if there is none.
 *
 * It compares 53-bit hashes of the ids, with a random seed: of 50,000 different ids, two have the same hash once in seven
 * million checks, and another check tells them apart. Memory: 16 to 32 bytes an id; a `Set` takes 50.
 */
export function createIdCheck(): (rows: RowBatch) => number {
  const seed = randomInt(2 ** 32);
  let table = new Float64Array(FIRST_CAPACITY);
  let count = 0;
  return (rows) => {
    const column = rows.column("product_id");
    for (let row = 0; row < rows.length; row += 1) {
      const hash = hashOfId(rows.bytes, rows.valueStart(row, column), rows.valueEnd(row, column), seed);
      if (!insert(table, hash)) {
        return row;
      }
      count += 1;
      if (count * 2 > table.length) {
        const larger = new Float64Array(table.length * 2);
        for (const entry of table) {
          if (entry !== 0) {
            insert(larger, entry - 1);
          }
        }
        table = larger;
      }
    }
    return -1;
  };
}

/** Of the table of hashes, a power of two. */
const FIRST_CAPACITY = 1024;

/** Adds a hash to a table with free places, in which 0 is a free one. @returns false if it is there already */
function insert(table: Float64Array, hash: number): boolean {
  const last = table.length - 1;
  let at = hash & last;
  for (; table[at] !== 0; at = (at + 1) & last) {
    if (table[at] === hash + 1) {
      return false;
    }
  }
  table[at] = hash + 1;
  return true;
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
