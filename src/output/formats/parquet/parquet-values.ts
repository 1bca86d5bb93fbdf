import { isCalendarDate } from "../../../contract/filters.ts";
import { dayNumber } from "../../../contract/values/day-arithmetic.ts";
import { isExactDouble } from "../../../contract/values/decimal.ts";
import { QUOTE } from "../../../rows/json-bytes.ts";
import { hasEscape } from "../../../rows/words.ts";
import type { ColumnChunkBuilder } from "./column-chunk.ts";
import { Unescaped } from "./unescape.ts";

const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const NINE = 57;

/** Most digits for which a decimal number is converted exactly rounded: mantissa and power of ten are exact doubles. */
const EXACT_DIGITS = 15;

/** Days that a reader remembers. */
const MOST_DAYS = 4096;

/** Adds values of one type to a column chunk; each function returns false for a value that it cannot add. */
interface ValueReader {
  /** Adds a usual value from its bytes between two offsets. */
  addUsual(view: DataView, start: number, end: number): boolean;
  /** Adds any value of the type from its JSON text. */
  addParsed(raw: string): boolean;
}

export function textReader(chunk: ColumnChunkBuilder, onLoneSurrogate: () => void): ValueReader {
  const unescaped = new Unescaped();
  return {
    addUsual: (view, start, end) => {
      if (view.getUint8(start) !== QUOTE) {
        return false;
      }
      if (!hasEscape(view, start + 1, end - 1)) {
        chunk.add(view, start + 1, end - start - 2);
        return true;
      }
      const size = unescaped.read(view, start + 1, end - 1);
      if (size < 0) {
        return false;
      }
      chunk.add(unescaped.view, 0, size);
      return true;
    },
    addParsed: (raw) => {
      if (!raw.startsWith('"')) {
        return false;
      }
      const text = JSON.parse(raw) as string;
      if (/\p{Surrogate}/u.test(text)) {
        onLoneSurrogate();
      }
      const { buffer, byteOffset, length } = Buffer.from(text);
      chunk.add(new DataView(buffer, byteOffset, length), 0, length);
      return true;
    },
  };
}

export function numberReader(chunk: ColumnChunkBuilder, onRounded: () => void): ValueReader {
  const double = new DataView(new ArrayBuffer(8));
  const add = (value: number) => {
    double.setFloat64(0, value, true);
    chunk.add(double, 0, 8);
  };
  return {
    addUsual: (view, start, end) => {
      const value = plainNumber(view, start, end);
      if (value !== undefined) {
        add(value);
      }
      return value !== undefined;
    },
    addParsed: (raw) => {
      const value = /^[-\d]/.test(raw) ? Number(raw) : Number.NaN;
      if (!Number.isFinite(value)) {
        return false;
      }
      if (!isExactDouble(raw)) {
        onRounded();
      }
      add(value);
      return true;
    },
  };
}

/** Each date is parsed once. */
export function dateReader(chunk: ColumnChunkBuilder): ValueReader {
  const known = new Map<number, number>();
  const day = new DataView(new ArrayBuffer(4));
  const add = (days: number) => {
    day.setInt32(0, days, true);
    chunk.add(day, 0, 4);
  };
  return {
    addUsual: (view, start, end) => {
      const days = known.get(digitsOfDate(view, start, end));
      if (days !== undefined) {
        add(days);
      }
      return days !== undefined;
    },
    addParsed: (raw) => {
      const date: unknown = raw.startsWith('"') ? JSON.parse(raw) : undefined;
      if (typeof date !== "string" || !isCalendarDate(date)) {
        return false;
      }
      const days = dayNumber(date);
      if (known.size < MOST_DAYS) {
        known.set(Number(date.replaceAll("-", "")), days);
      }
      add(days);
      return true;
    },
  };
}

/** A number with few digits and no exponent; undefined for other values. */
function plainNumber(view: DataView, start: number, end: number): number | undefined {
  const isNegative = start < end && view.getUint8(start) === MINUS;
  const first = isNegative ? start + 1 : start;
  let value = 0;
  let scale = 1;
  let hasPoint = false;
  if (start === 0 || end - first > EXACT_DIGITS) {
    return undefined;
  }
  for (let at = first; at < end; at += 1) {
    const byte = view.getUint8(at);
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

/** The digits of `"2026-01-31"` as a number, 20260131; -1 for a text of another form. */
function digitsOfDate(view: DataView, start: number, end: number): number {
  if (end - start !== 12 || view.getUint8(start) !== QUOTE) {
    return -1;
  }
  let digits = 0;
  for (let at = 1; at < 11; at += 1) {
    const byte = view.getUint8(start + at);
    if (at === 5 || at === 8) {
      if (byte !== MINUS) {
        return -1;
      }
    } else if (byte >= ZERO && byte <= NINE) {
      digits = digits * 10 + (byte - ZERO);
    } else {
      return -1;
    }
  }
  return digits;
}
