import type { Statistics } from "hyparquet";
import type { PlainValues } from "./plain-values.ts";

/** Compares two values in the same bytes, each given by its place and its size; negative if the first is smaller. */
type Order = (view: DataView, a: number, aSize: number, b: number, bSize: number) => number;

/** Types of columns that are written: UTF-8, days and prices. */
export type StoredType = "BYTE_ARRAY" | "INT32" | "DOUBLE";

const ORDERS = {
  BYTE_ARRAY: compareBytes,
  INT32: (view, a, _, b) => view.getInt32(a, true) - view.getInt32(b, true),
  DOUBLE: (view, a, _, b) => view.getFloat64(a, true) - view.getFloat64(b, true),
} as const satisfies Record<StoredType, Order>;

/** Bounds and counts of a column. @param values every value of the column at least once; @param nulls rows without a value */
export function statisticsOf(
  values: PlainValues,
  type: StoredType,
  nulls: number,
): Statistics & { nan_count?: bigint } {
  const order: Order = ORDERS[type];
  const { view } = values;
  let [min, minSize, max, maxSize] = [-1, 0, -1, 0];
  for (let at = 0; at < values.length; ) {
    const start = at + values.prefix;
    const size = values.sizeAt(at);
    if (min === -1) {
      [min, minSize, max, maxSize] = [start, size, start, size];
    } else if (order(view, start, size, max, maxSize) > 0) {
      max = start;
      maxSize = size;
    } else if (order(view, start, size, min, minSize) < 0) {
      min = start;
      minSize = size;
    }
    at = start + size;
  }
  const counts = { null_count: BigInt(nulls), ...(type === "DOUBLE" && { nan_count: 0n }) };
  if (min === -1) {
    return counts;
  }
  if (type === "BYTE_ARRAY") {
    const { bytes } = values;
    return { min_value: bytes.slice(min, min + minSize), max_value: bytes.slice(max, max + maxSize), ...counts };
  }
  if (type === "INT32") {
    return { min_value: view.getInt32(min, true), max_value: view.getInt32(max, true), ...counts };
  }
  // A zero may have either sign, so the bounds include both (parquet.thrift, ColumnOrder).
  const [least, most] = [view.getFloat64(min, true), view.getFloat64(max, true)];
  return { min_value: least === 0 ? -0 : least, max_value: most === 0 ? 0 : most, ...counts };
}

/** Unsigned, byte by byte: the order of UTF-8, which is that of its code points. */
function compareBytes(view: DataView, a: number, aSize: number, b: number, bSize: number): number {
  const size = Math.min(aSize, bSize);
  let at = 0;
  while (at + 4 <= size && view.getInt32(a + at, true) === view.getInt32(b + at, true)) {
    at += 4;
  }
  for (; at < size; at += 1) {
    const difference = view.getUint8(a + at) - view.getUint8(b + at);
    if (difference !== 0) {
      return difference;
    }
  }
  return aSize - bSize;
}
