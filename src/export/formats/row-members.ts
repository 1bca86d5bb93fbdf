import { ContractError } from "../../contract/errors.ts";
import type { RowBatch } from "../../rows/batch.ts";
import type { EncoderOptions } from "./encoder.ts";

/**
 * JSON text of one member.
 *
 * @throws ContractError if the row lacks it, because an empty field would look like a value.
 */
export function memberOf(rows: RowBatch, row: number, name: string): string {
  const raw = rows.raw(row, rows.column(name));
  if (raw === undefined) {
    throw missingMember(rows, row, name);
  }
  return raw;
}

export function missingMember(rows: RowBatch, row: number, name: string): ContractError {
  return new ContractError(`the service sent a row without "${name}" (${identityOf(rows, row)})`);
}

/**
 * The JSON text of the values of a batch, by row and index of the column. A text has one character for each byte: strings
 * are cut and joined faster than bytes. `Buffer.from(text, "latin1")` gives the bytes.
 *
 * @returns a function that throws `ContractError` if the row lacks the column
 */
export function byteTexts(rows: RowBatch, columns: readonly string[]): (row: number, index: number) => string {
  const numbers = columns.map((name) => rows.column(name));
  let current = -1;
  let text = "";
  return (row, index) => {
    const number = numbers[index] as number;
    const start = rows.valueStart(row, number);
    if (start === 0) {
      throw missingMember(rows, row, columns[index] as string);
    }
    const first = rows.start(row);
    if (row !== current) {
      current = row;
      text = rows.bytes.toString("latin1", first, rows.end(row));
    }
    return text.slice(start - first, rows.valueEnd(row, number) - first);
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const ASCII = /^[\x00-\x7f]*$/;

/** A text with one character for each byte of `text` as UTF-8. */
export function byteText(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text).toString("latin1");
}

/** Characters that `ByteJoiner` turns into bytes at once. A text of 128 KB and more is a large object of V8, which is freed late. */
const AT_ONCE = 16 * 1024;

/** Joins texts with a character for each byte into bytes. */
export class ByteJoiner {
  #bytes: Buffer;
  #length = 0;
  /** What comes after the first `#length` bytes. */
  #text = "";

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= AT_ONCE) {
      this.bytes();
    }
  }

  /** Number of bytes so far. */
  get length(): number {
    return this.#length + this.#text.length;
  }

  /** All bytes so far; not a copy. */
  bytes(): Buffer {
    if (this.length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(this.length * 2);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#length += this.#bytes.write(this.#text, this.#length, "latin1");
    this.#text = "";
    return this.#bytes.subarray(0, this.#length);
  }
}

/** The text whose `byteText` is `bytes`. */
export function utf8Of(bytes: string): string {
  return ASCII.test(bytes) ? bytes : Buffer.from(bytes, "latin1").toString();
}

/** The columns of an output that has columns. */
export function columnsOf({ known, chosen, partitionedBy = [] }: EncoderOptions): readonly string[] {
  return (chosen ?? known).filter((name) => !partitionedBy.includes(name));
}

/** Names the row in an error, by its id if it has one. */
export function identityOf(rows: RowBatch, row: number): string {
  const rawOf = (name: string) => rows.raw(row, rows.column(name));
  const name = ["product_id", "rcd"].find((candidate) => rawOf(candidate) !== undefined);
  return name === undefined ? "it has no product_id either" : `${name} ${rawOf(name)}`;
}

/** Reports the members beyond the known columns, which the output leaves out, although no flag chose columns. */
export function reportUnknownMembers(rows: RowBatch, { chosen, onLoss }: EncoderOptions): void {
  if (chosen === undefined) {
    for (const name of rows.others) {
      onLoss?.("member", name);
    }
  }
}
