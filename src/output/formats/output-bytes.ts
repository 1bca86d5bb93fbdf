/** Parts up to this length are copied faster by a loop than by a call. */
const SHORT_PART = 32;

/** A growing buffer for output bytes. */
export class OutputBytes {
  bytes: Buffer;
  length = 0;

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafe(capacity);
  }

  /** Makes room for this many more bytes. */
  reserve(more: number): void {
    if (this.length + more > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + more));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
  }

  addByte(byte: number): void {
    this.reserve(1);
    this.bytes[this.length] = byte;
    this.length += 1;
  }

  addText(text: string): void {
    this.reserve(Buffer.byteLength(text));
    this.length += this.bytes.write(text, this.length);
  }

  addPart(source: Buffer, start: number, end: number): void {
    const length = end - start;
    this.reserve(length);
    if (length <= SHORT_PART) {
      for (let at = 0; at < length; at += 1) {
        this.bytes[this.length + at] = source[start + at] as number;
      }
    } else {
      source.copy(this.bytes, this.length, start, end);
    }
    this.length += length;
  }

  /** The bytes added so far; not a copy. */
  taken(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}
