import { isCalendarDate } from "../../contract/filters.ts";
import { dayNumber } from "../../contract/values/day-arithmetic.ts";
import type { RowBatch } from "../../rows/batch.ts";

const QUOTE = 34;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const NINE = 57;
const BACKSLASH = 92;

/** Most digits for which a decimal number is converted exactly rounded: mantissa and power of ten are exact doubles. */
const EXACT_DIGITS = 15;

/** Reads a value between two offsets of a batch; undefined if it is not plain. */
type PlainReader<T> = (rows: RowBatch, start: number, end: number) => T | undefined;

/** Creates readers that parse the usual values of a column from their bytes; other values are parsed as JSON. */
export const plainReaders = {
  string: (): PlainReader<Uint8Array> => {
    const texts = new ColumnTexts();
    return ({ bytes }, start, end) => (bytes[start] === QUOTE ? texts.textOf(bytes, start + 1, end - 1) : undefined);
  },
  number: (): PlainReader<number> => plainNumber,
  date: (): PlainReader<number> => {
    const texts = new ColumnTexts();
    const days = new Map<Uint8Array, number>();
    return ({ bytes }, start, end) => {
      const text = bytes[start] === QUOTE ? texts.textOf(bytes, start + 1, end - 1) : undefined;
      return text && numberOfDay(text, days);
    };
  },
};

/** @param known days of texts that were read before */
function numberOfDay(text: Uint8Array, known: Map<Uint8Array, number>): number | undefined {
  const day = known.get(text);
  if (day !== undefined) {
    return day;
  }
  const date = Buffer.from(text).toString();
  if (!isCalendarDate(date)) {
    return undefined;
  }
  const read = dayNumber(date);
  if (known.size < PLACES) {
    known.set(text, read);
  }
  return read;
}

/** A number with few digits and no exponent. */
function plainNumber({ bytes }: RowBatch, start: number, end: number): number | undefined {
  const isNegative = bytes[start] === MINUS;
  const first = isNegative ? start + 1 : start;
  let value = 0;
  let scale = 1;
  let hasPoint = false;
  if (start === 0 || end - first > EXACT_DIGITS) {
    return undefined;
  }
  for (let at = first; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte === DOT) {
      hasPoint = true;
    } else if (byte >= ZERO && byte <= NINE) {
      value = value * 10 + (byte - ZERO);
      scale = hasPoint ? scale * 10 : scale;
    } else {
      return undefined;
    }
  }
  return (isNegative ? -value : value) / scale;
}

/** Values that a column remembers, a power of two. */
const PLACES = 1024;

/** After this many values, a column with hardly any repeated value is no longer searched. */
const TRIAL = 5000;

/**
 * Texts of one column as UTF-8. A text that is still remembered is returned as the same object: the Parquet writer
 * compares objects faster than bytes, and memory holds the text once.
 */
class ColumnTexts {
  private readonly remembered: (Uint8Array | undefined)[] = new Array(PLACES).fill(undefined);
  private asked = 0;
  private found = 0;

  /** The text between two offsets; undefined if it has escapes. */
  textOf(bytes: Buffer, start: number, end: number): Uint8Array | undefined {
    let hash = end - start;
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at] as number;
      if (byte === BACKSLASH) {
        return undefined;
      }
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    if (this.asked > TRIAL && this.found * 4 < this.asked) {
      return viewOf(bytes, start, end);
    }
    this.asked += 1;
    const place = (hash ^ (hash >>> 15)) & (PLACES - 1);
    const known = this.remembered[place];
    if (known !== undefined && isSame(known, bytes, start, end)) {
      this.found += 1;
      return known;
    }
    // A copy, because a view would keep a whole page in memory.
    const text = new Uint8Array(viewOf(bytes, start, end));
    this.remembered[place] = text;
    return text;
  }
}

function viewOf(bytes: Buffer, start: number, end: number): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start);
}

function isSame(text: Uint8Array, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) {
    return false;
  }
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== bytes[start + at]) {
      return false;
    }
  }
  return true;
}
