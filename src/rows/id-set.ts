import { randomBytes } from "node:crypto";

/** Size of the first table; like all later sizes a power of two. */
const FIRST_PLACES = 1024;
/** 32-bit words of one hash. */
const HASH_WORDS = 4;
/** Highest share of places in use. */
const MOST_FILLED = 0.8;

/**
 * Remembers ids by a 128-bit hash with a random seed; two ids share a hash only with negligible probability.
 *
 * Memory: 16 bytes an id in a table of twice as many places at most, 512 KiB for 26,000 ids.
 */
export class IdSet {
  private table = new Int32Array(FIRST_PLACES * HASH_WORDS);
  private size = 0;
  private readonly seed = randomBytes(4).readInt32LE();
  private readonly hash = new Int32Array(HASH_WORDS);

  /** Adds the id in these bytes; returns false if it was there before. */
  add(bytes: Uint8Array, start: number, end: number): boolean {
    const { hash } = this;
    murmurHash(bytes, start, end, this.seed, hash);
    if ((this.size + 1) * HASH_WORDS > this.table.length * MOST_FILLED) {
      this.grow();
    }
    const isNew = place(this.table, hash, 0);
    this.size += isNew ? 1 : 0;
    return isNew;
  }

  private grow(): void {
    const { table } = this;
    const larger = new Int32Array(table.length * 2);
    for (let at = 0; at < table.length; at += HASH_WORDS) {
      if (table[at + HASH_WORDS - 1] !== 0) {
        place(larger, table, at);
      }
    }
    this.table = larger;
  }
}

/**
 * Stores the hash that is in `source` at `from`; returns false if the table has it already. A place is free if its last
 * word is 0.
 */
function place(table: Int32Array, source: Int32Array, from: number): boolean {
  const mask = table.length - 1;
  const h1 = source[from] as number;
  const h2 = source[from + 1] as number;
  const h3 = source[from + 2] as number;
  const h4 = source[from + 3] as number;
  for (let at = (h1 * HASH_WORDS) & mask; ; at = (at + HASH_WORDS) & mask) {
    if (table[at + 3] === 0) {
      table[at] = h1;
      table[at + 1] = h2;
      table[at + 2] = h3;
      table[at + 3] = h4;
      return true;
    }
    if (table[at] === h1 && table[at + 1] === h2 && table[at + 2] === h3 && table[at + 3] === h4) {
      return false;
    }
  }
}

const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;

/** MurmurHash3 x86_128 (Austin Appleby), whose last word is never 0 here. */
function murmurHash(bytes: Uint8Array, start: number, end: number, seed: number, hash: Int32Array): void {
  let h1 = seed;
  let h2 = seed;
  let h3 = seed;
  let h4 = seed;
  for (let at = start; at < end; at += 16) {
    h1 = (rotated(h1 ^ mixed(wordAt(bytes, at, end), C1, 15, C2), 19) + h2) | 0;
    h1 = (Math.imul(h1, 5) + 0x561ccd1b) | 0;
    h2 = (rotated(h2 ^ mixed(wordAt(bytes, at + 4, end), C2, 16, C3), 17) + h3) | 0;
    h2 = (Math.imul(h2, 5) + 0x0bcaa747) | 0;
    h3 = (rotated(h3 ^ mixed(wordAt(bytes, at + 8, end), C3, 17, C4), 15) + h4) | 0;
    h3 = (Math.imul(h3, 5) + 0x96cd1c35) | 0;
    h4 = (rotated(h4 ^ mixed(wordAt(bytes, at + 12, end), C4, 18, C1), 13) + h1) | 0;
    h4 = (Math.imul(h4, 5) + 0x32ac3b17) | 0;
  }
  const length = end - start;
  h1 ^= length;
  h2 ^= length;
  h3 ^= length;
  h4 ^= length;
  h1 = (h1 + h2 + h3 + h4) | 0;
  h1 = finished(h1);
  h2 = finished((h2 + h1) | 0);
  h3 = finished((h3 + h1) | 0);
  h4 = finished((h4 + h1) | 0);
  h1 = (h1 + h2 + h3 + h4) | 0;
  hash[0] = h1;
  hash[1] = h2 + h1;
  hash[2] = h3 + h1;
  hash[3] = (h4 + h1) | 1;
}

/** Reads four bytes, least significant first; bytes after the end are 0. */
function wordAt(bytes: Uint8Array, at: number, end: number): number {
  if (at + 4 <= end) {
    return (
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)
    );
  }
  let word = 0;
  for (let index = end - 1; index >= at; index -= 1) {
    word = (word << 8) | (bytes[index] as number);
  }
  return word;
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function mixed(word: number, first: number, bits: number, second: number): number {
  return Math.imul(rotated(Math.imul(word, first), bits), second);
}

function finished(word: number): number {
  let mixing = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixing = Math.imul(mixing ^ (mixing >>> 13), 0xc2b2ae35);
  return mixing ^ (mixing >>> 16);
}
