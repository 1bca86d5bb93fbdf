import { BACKSLASH, endOfEscape, endOfString, QUOTE, unexpected } from "./json-bytes.ts";

/** Bytes compared at a time. */
const WORD = 8;

/**
 * A column's name as it precedes a value, `"name":`. Compares eight bytes at a time as one double: doubles are equal exactly if
 * their bytes are, except ±0 and NaN, which no ASCII name can form.
 */
export class ColumnName {
  /** In bytes. */
  readonly length: number;
  private readonly bytes: Uint8Array;
  private readonly words: Float64Array;

  constructor(name: string) {
    const bytes = new Uint8Array(Buffer.from(`${JSON.stringify(name)}:`));
    const view = new DataView(bytes.buffer);
    const count = Math.ceil(bytes.length / WORD);
    this.bytes = bytes;
    this.length = bytes.length;
    // The last word ends where the name ends, so it may overlap the previous one.
    this.words =
      bytes.length < WORD
        ? new Float64Array()
        : Float64Array.from({ length: count }, (_, word) =>
            view.getFloat64(Math.min(word * WORD, bytes.length - WORD), true),
          );
  }

  standsAt(view: DataView, at: number): boolean {
    const { length, words } = this;
    if (at + length > view.byteLength) {
      return false;
    }
    if (length < WORD) {
      return this.standsBytewise(view, at);
    }
    const last = words.length - 1;
    for (let word = 0; word < last; word += 1) {
      if (view.getFloat64(at + word * WORD, true) !== words[word]) {
        return false;
      }
    }
    return view.getFloat64(at + length - WORD, true) === words[last];
  }

  private standsBytewise(view: DataView, at: number): boolean {
    for (let index = 0; index < this.length; index += 1) {
      if (view.getUint8(at + index) !== this.bytes[index]) {
        return false;
      }
    }
    return true;
  }
}

const QUOTES = 0x22222222;
const BACKSLASHES = 0x5c5c5c5c;
const SPACES = 0x20202020;
const ONES = 0x01010101;
const HIGH_BITS = 0x80808080;

/**
 * Like `endOfString`, but skips four bytes at a time while none of them is a quote, a backslash or a control character. It uses
 * the SWAR test for "has a byte less than n": only the first byte that it marks is reliable, because subtraction borrows.
 */
export function endOfLongString(bytes: Uint8Array, view: DataView, at: number): number {
  const last = view.byteLength - 4;
  let next = at;
  while (next <= last) {
    const word = view.getInt32(next, true);
    const quotes = word ^ QUOTES;
    const backslashes = word ^ BACKSLASHES;
    const found =
      ((((quotes - ONES) | 0) & ~quotes) |
        (((backslashes - ONES) | 0) & ~backslashes) |
        (((word - SPACES) | 0) & ~word)) &
      HIGH_BITS;
    if (found === 0) {
      next += 4;
      continue;
    }
    next += (31 - Math.clz32(found & -found)) >>> 3;
    const byte = bytes[next];
    if (byte === QUOTE) {
      return next + 1;
    }
    if (byte !== BACKSLASH) {
      throw unexpected(bytes, next);
    }
    next = endOfEscape(bytes, next + 1);
  }
  return endOfString(bytes, next);
}

const NULL = 0x6c6c756e;

/** Whether the word `null` stands at `at`. */
export function isNull(view: DataView, at: number): boolean {
  return at + 4 <= view.byteLength && view.getInt32(at, true) === NULL;
}
