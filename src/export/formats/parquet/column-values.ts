import { ByteWriter } from "hyparquet-writer";

const FIRST_BYTES = 4096;

/** Parts up to this length are copied faster by a loop than by a call. */
const SHORT_PART = 32;

/** Number of a null, which is not among the distinct values. */
const NULL = 0xffff;

/**
 * The values of one column in one row group: the JSON text of each distinct value once, and for each row the number of
 * its value. They are in typed arrays, which the next row group uses again: a row group of JavaScript values would stay in
 * memory until the garbage collector looks at old objects.
 *
 * Memory: the distinct values, and 13 bytes for each row that a row group may have.
 */
export class ColumnValues {
  /** Rows so far. */
  rows = 0;
  /** Distinct values so far, numbered in the order of their first appearance. */
  count = 0;
  /** The JSON texts, one after another. */
  readonly texts = new ByteWriter(FIRST_BYTES);
  /** Where each value begins in `texts`, and after the last one where the next would. */
  readonly starts: Uint32Array;
  private readonly numbers: Uint16Array;
  /** A hash table with open addressing: numbers of values plus one; zero is a free slot. */
  private readonly slots: Uint16Array;
  private last = 0;

  /** @param mostRows of a row group, less than 2^16 - 1 */
  constructor(mostRows: number) {
    this.numbers = new Uint16Array(mostRows);
    this.starts = new Uint32Array(mostRows + 1);
    this.slots = new Uint16Array(2 ** Math.ceil(Math.log2(2 * mostRows)));
  }

  /**
   * Adds the value of the next row, between two offsets of `bytes`; returns whether no row before has the same bytes.
   *
   * @param view of `bytes`
   */
  add(bytes: Buffer, view: DataView, start: number, end: number): boolean {
    const { count } = this;
    if (!this.isValue(this.last, view, start, end)) {
      this.last = this.numberOf(bytes, view, start, end);
    }
    this.numbers[this.rows] = this.last;
    this.rows += 1;
    return this.count > count;
  }

  addNull(): void {
    this.numbers[this.rows] = NULL;
    this.rows += 1;
  }

  /** For each row 1, or 0 if it is null. */
  present(): Uint8Array {
    return Uint8Array.from(this.numbers.subarray(0, this.rows), (number) => (number === NULL ? 0 : 1));
  }

  /** Number of the value of each row that is not null. */
  presentNumbers(): Uint16Array {
    const numbers = this.numbers.subarray(0, this.rows);
    return numbers.includes(NULL) ? numbers.filter((number) => number !== NULL) : numbers;
  }

  private numberOf(bytes: Buffer, source: DataView, start: number, end: number): number {
    const { slots } = this;
    const mask = slots.length - 1;
    let slot = valueHash(source, start, end) & mask;
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = (slots[slot] as number) - 1;
      if (this.isValue(number, source, start, end)) {
        return number;
      }
    }
    const number = this.count;
    this.count += 1;
    slots[slot] = this.count;
    appendPart(this.texts, bytes, start, end);
    this.starts[this.count] = this.texts.index;
    return number;
  }

  private isValue(number: number, source: DataView, start: number, end: number): boolean {
    const { starts } = this;
    const { view } = this.texts;
    const from = starts[number] as number;
    const size = end - start;
    if (number >= this.count || (starts[number + 1] as number) - from !== size) {
      return false;
    }
    let at = 0;
    for (; at + 4 <= size; at += 4) {
      if (view.getInt32(from + at, true) !== source.getInt32(start + at, true)) {
        return false;
      }
    }
    for (; at < size; at += 1) {
      if (view.getUint8(from + at) !== source.getUint8(start + at)) {
        return false;
      }
    }
    return true;
  }

  /** Removes all rows and keeps the memory. */
  clear(): void {
    this.rows = 0;
    this.count = 0;
    this.texts.index = 0;
    this.slots.fill(0);
  }
}

/** Appends the bytes between two offsets of `source`. */
export function appendPart(target: ByteWriter, source: Uint8Array, start: number, end: number): void {
  const length = end - start;
  if (length > SHORT_PART) {
    target.appendBytes(source.subarray(start, end));
    return;
  }
  target.ensure(length);
  const { view, index } = target;
  for (let at = 0; at < length; at += 1) {
    view.setUint8(index + at, source[start + at] as number);
  }
  target.index += length;
  target.offset += length;
}

function valueHash(source: DataView, start: number, end: number): number {
  let hash = end - start;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    hash = Math.imul(hash ^ source.getInt32(at, true), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; at < end; at += 1) {
    hash = Math.imul(hash ^ source.getUint8(at), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
