import { isUtf8 } from "node:buffer";
import { PRODUCT_COLUMNS } from "../contract/product.ts";
import type { RowBatch } from "./batch.ts";
import {
  CLOSE_BRACE,
  COMMA,
  endOfName,
  endOfValue,
  OPEN_BRACE,
  OPEN_BRACKET,
  skipSpace,
  unexpected,
  valueAfterColon,
} from "./json-bytes.ts";
import { type ArrayScan, batchOf, nameBetween, scanArray } from "./scan.ts";

const NO_ROWS = batchOf([]);
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/** A response whose `data` are rows, contract section 2.6. */
export interface ScannedResponse {
  /** Empty if `data` is not an array. */
  rows: RowBatch;
  /** Position of the first element of `data` that is not an object; -1 if all are objects. */
  foreign: number;
  /**
   * The parsed response without its rows: `pagination`, `meta`, and an empty array as `data` if that is an array. Other
   * members are left out. Undefined if the response is not an object.
   */
  document: Readonly<Record<"data" | "pagination" | "meta", unknown>> | undefined;
}

/**
 * Proves that a response is JSON (RFC 8259) in UTF-8, in one pass, and finds its rows. Accepts what `JSON.parse` accepts, and a byte order mark;
 * if a name repeats, the last value counts. The rows take ownership of `bytes`.
 *
 * @throws SyntaxError if it is not valid
 */
export function scanResponse(bytes: Buffer): ScannedResponse {
  if (!isUtf8(bytes)) {
    throw new SyntaxError("it is not UTF-8");
  }
  const hasMark = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const start = skipSpace(bytes, hasMark ? BYTE_ORDER_MARK.length : 0);
  if (bytes[start] !== OPEN_BRACE) {
    expectEnd(bytes, endOfValue(bytes, start));
    return { rows: NO_ROWS, foreign: -1, document: undefined };
  }
  const { data, parts, end } = scanMembers(bytes, start);
  expectEnd(bytes, end);
  // Parsed before the rows are finished, which writes into the bytes.
  const parsed = (name: string): unknown => {
    const part = parts.get(name);
    return part === undefined ? undefined : JSON.parse(bytes.toString("utf8", ...part));
  };
  const rest = { pagination: parsed("pagination"), meta: parsed("meta") };
  if (data === undefined) {
    return { rows: NO_ROWS, foreign: -1, document: { data: undefined, ...rest } };
  }
  return { ...data.finish(), document: { data: [], ...rest } };
}

interface Members {
  data: ArrayScan | undefined;
  /** Start and end of each value other than the rows. */
  parts: ReadonlyMap<string, [number, number]>;
  /** Index after the object. */
  end: number;
}

/** Scans the object that begins at `start`. */
function scanMembers(bytes: Buffer, start: number): Members {
  const parts = new Map<string, [number, number]>();
  let data: ArrayScan | undefined;
  let at = skipSpace(bytes, start + 1);
  while (bytes[at] !== CLOSE_BRACE || parts.size > 0) {
    const nameEnd = endOfName(bytes, at);
    const name = nameBetween(bytes, at, nameEnd);
    const value = valueAfterColon(bytes, nameEnd);
    if (name === "data") {
      data = bytes[value] === OPEN_BRACKET ? scanArray(bytes, value, PRODUCT_COLUMNS) : undefined;
    }
    const end = name === "data" && data !== undefined ? data.end : endOfValue(bytes, value);
    parts.set(name, [value, end]);
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_BRACE) {
      break;
    }
    if (bytes[at] !== COMMA) {
      throw unexpected(bytes, at);
    }
    at = skipSpace(bytes, at + 1);
  }
  return { data, parts, end: at + 1 };
}

function expectEnd(bytes: Buffer, at: number): void {
  const end = skipSpace(bytes, at);
  if (end !== bytes.length) {
    throw unexpected(bytes, end);
  }
}
