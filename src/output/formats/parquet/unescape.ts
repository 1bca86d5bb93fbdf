import { BACKSLASH } from "../../../rows/json-bytes.ts";

/** For each byte that may follow a backslash, the byte that the two stand for (RFC 8259, 7); zero for others. */
const ESCAPED_BYTES = new Uint8Array(256);
for (const [index, letter] of [...Buffer.from('"\\/bfnrt')].entries()) {
  ESCAPED_BYTES[letter] = '"\\/\b\f\n\r\t'.charCodeAt(index);
}

/** Replaces the short escapes of JSON strings, in memory that the next text uses again. */
export class Unescaped {
  /** The text begins at 0. */
  view = new DataView(new ArrayBuffer(256));

  /** Size of the text between two offsets without its escapes; -1 if it has a code unit, `\u0041`. */
  read(source: DataView, start: number, end: number): number {
    if (end - start > this.view.byteLength) {
      this.view = new DataView(new ArrayBuffer(2 * (end - start)));
    }
    const { view } = this;
    let size = 0;
    for (let at = start; at < end; at += 1) {
      let byte = source.getUint8(at);
      if (byte === BACKSLASH) {
        at += 1;
        byte = ESCAPED_BYTES[source.getUint8(at)] as number;
        if (byte === 0) {
          return -1;
        }
      }
      view.setUint8(size, byte);
      size += 1;
    }
    return size;
  }
}
