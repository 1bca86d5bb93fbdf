/** Bytes compared at a time. */
const WORD = 8;

/**
 * A column's name as it precedes a value, `"name":`. Compares eight bytes at a time as one double: doubles are equal exactly if
 * their bytes are, except ±0 and NaN, which no UTF-8 text can form.
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

const NULL = 0x6c6c756e;

/** Whether the word `null` stands at `at`. */
export function isNull(view: DataView, at: number): boolean {
  return at + 4 <= view.byteLength && view.getInt32(at, true) === NULL;
}
