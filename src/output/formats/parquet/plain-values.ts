const FIRST_BYTES = 1024;

/**
 * Values in the PLAIN encoding of Parquet, one after another: numbers at their width, little-endian; texts as UTF-8
 * after their length in four bytes. The content is that of a data page or of a dictionary page.
 */
export class PlainValues {
  /** Number of values. */
  count = 0;
  /** Of all values, in bytes. */
  length = 0;
  bytes = new Uint8Array(FIRST_BYTES);
  view = new DataView(this.bytes.buffer);
  /** Bytes before each value. */
  readonly prefix: 0 | 4;
  private readonly width: number | undefined;

  /** @param width bytes of a number; undefined for texts */
  constructor(width: number | undefined) {
    this.width = width;
    this.prefix = width === undefined ? 4 : 0;
  }

  /** Appends the value in `size` bytes of `source`; returns where it begins, after its length. */
  add(source: DataView, from: number, size: number): number {
    const start = this.length + this.prefix;
    this.reserve(start + size);
    const { view } = this;
    if (this.prefix > 0) {
      view.setUint32(this.length, size, true);
    }
    let at = 0;
    for (; at + 4 <= size; at += 4) {
      view.setInt32(start + at, source.getInt32(from + at, true), true);
    }
    for (; at < size; at += 1) {
      view.setUint8(start + at, source.getUint8(from + at));
    }
    this.length = start + size;
    this.count += 1;
    return start;
  }

  private reserve(capacity: number): void {
    if (capacity > this.bytes.length) {
      const larger = new Uint8Array(Math.max(this.bytes.length * 2, capacity));
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
  }

  /** Size of the value whose entry begins at `at`, without its length. */
  sizeAt(at: number): number {
    return this.width ?? this.view.getUint32(at, true);
  }

  /** Removes all values and keeps the memory. */
  clear(): void {
    this.count = 0;
    this.length = 0;
  }
}

/** Whether two values of the same size have the same bytes. */
export function sameBytes(a: DataView, aStart: number, b: DataView, bStart: number, size: number): boolean {
  let at = 0;
  for (; at + 4 <= size; at += 4) {
    if (a.getInt32(aStart + at, true) !== b.getInt32(bStart + at, true)) {
      return false;
    }
  }
  for (; at < size; at += 1) {
    if (a.getUint8(aStart + at) !== b.getUint8(bStart + at)) {
      return false;
    }
  }
  return true;
}
