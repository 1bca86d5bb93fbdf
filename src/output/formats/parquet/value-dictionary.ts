import { PlainValues, sameBytes } from "./plain-values.ts";

const FIRST_SLOTS = 64;

/**
 * Distinct values, numbered in the order of their first appearance. A hash table with open addressing in typed arrays:
 * a row group of JavaScript values would stay in memory until the garbage collector looks at old objects.
 */
export class ValueDictionary {
  /** Each value once. */
  values: PlainValues;
  /** Where each value begins in `values`, and after the last one where the next would. */
  private starts = new Uint32Array(FIRST_SLOTS);
  private hashes = new Int32Array(FIRST_SLOTS);
  /** Numbers of values plus one; zero is a free slot. A power of two, at least twice the number of values. */
  private slots = new Uint32Array(FIRST_SLOTS);
  private last = 0;

  constructor(width: number | undefined) {
    this.values = new PlainValues(width);
  }

  /** Number of the value in `size` bytes of `source`, which is added if it is new. */
  numberOf(source: DataView, from: number, size: number): number {
    if (this.isValue(this.last, source, from, size)) {
      return this.last;
    }
    const hash = valueHash(source, from, size);
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (; ; slot = (slot + 1) & mask) {
      const number = (this.slots[slot] as number) - 1;
      if (number < 0) {
        break;
      }
      if (this.hashes[number] === hash && this.isValue(number, source, from, size)) {
        this.last = number;
        return number;
      }
    }
    const number = this.values.count;
    this.slots[slot] = number + 1;
    this.hashes[number] = hash;
    this.starts[number] = this.values.add(source, from, size);
    this.last = number;
    if (2 * this.values.count > mask) {
      this.grow();
    }
    return number;
  }

  private isValue(number: number, source: DataView, from: number, size: number): boolean {
    return (
      number < this.values.count &&
      this.sizeOf(number) === size &&
      sameBytes(this.values.view, this.startOf(number), source, from, size)
    );
  }

  /** Where the bytes of a value begin in `values`. */
  startOf(number: number): number {
    return this.starts[number] as number;
  }

  /** Of a value, in bytes. */
  sizeOf(number: number): number {
    return this.values.sizeAt(this.startOf(number) - this.values.prefix);
  }

  private grow(): void {
    const size = 2 * this.slots.length;
    const { starts, hashes } = this;
    this.starts = new Uint32Array(size);
    this.starts.set(starts);
    this.hashes = new Int32Array(size);
    this.hashes.set(hashes);
    this.slots = new Uint32Array(size);
    for (let number = 0; number < this.values.count; number += 1) {
      let slot = (hashes[number] as number) & (size - 1);
      while (this.slots[slot] !== 0) {
        slot = (slot + 1) & (size - 1);
      }
      this.slots[slot] = number + 1;
    }
  }

  /** Replaces the values with `empty` and returns them. Call `clear` before the next value. */
  exchangeValues(empty: PlainValues): PlainValues {
    const { values } = this;
    this.values = empty;
    return values;
  }

  /** Removes all values and keeps the memory. */
  clear(): void {
    this.values.clear();
    this.slots.fill(0);
    this.last = 0;
  }
}

function valueHash(source: DataView, from: number, size: number): number {
  let hash = size;
  let at = 0;
  for (; at + 4 <= size; at += 4) {
    hash = Math.imul(hash ^ source.getInt32(from + at, true), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; at < size; at += 1) {
    hash = Math.imul(hash ^ source.getUint8(from + at), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
