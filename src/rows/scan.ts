import { PRODUCT_COLUMNS } from "../contract/product.ts";
import { RowBatch, type RowPlaces, strideOf } from "./batch.ts";
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  endOfName,
  endOfNumber,
  endOfString,
  endOfValue,
  LINE_FEED,
  OPEN_BRACE,
  QUOTE,
  SPACE,
  skipSpace,
  startsNumber,
  unexpected,
  valueAfterColon,
} from "./json-bytes.ts";
import { hasLineBreak, joinLines } from "./lines.ts";
import { ColumnName, isNull } from "./words.ts";

const FIRST_CAPACITY = 512;

/** Rows that were found in a JSON array. */
export interface ScannedRows {
  rows: RowBatch;
  /** Position of the first element that is not an object; -1 if all are objects. */
  foreign: number;
}

const namesOf = new WeakMap<readonly string[], readonly ColumnName[]>();

/** `"name":` prefixes, cached per column list. */
function columnNames(columns: readonly string[]): readonly ColumnName[] {
  const names = namesOf.get(columns) ?? columns.map((name) => new ColumnName(name));
  namesOf.set(columns, names);
  return names;
}

/** Collects the offsets of rows while they are scanned. */
class RowCollector {
  private readonly columns: readonly string[];
  private readonly names: readonly ColumnName[];
  private readonly stride: number;
  private readonly bytes: Buffer;
  private readonly view: DataView;
  private readonly others = new Set<string>();
  private table: Uint32Array;
  private length = 0;

  constructor(bytes: Buffer, columns: readonly string[]) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.columns = columns;
    this.names = columnNames(columns);
    this.stride = strideOf(columns);
    this.table = new Uint32Array(FIRST_CAPACITY * this.stride);
  }

  /** Scans the object that begins at `at` as the next row; returns the index after it. */
  add(at: number): number {
    const base = this.length * this.stride;
    if (base === this.table.length) {
      const larger = new Uint32Array(this.table.length * 2);
      larger.set(this.table);
      this.table = larger;
    }
    const end = this.scanMembers(at, base + 2);
    this.table[base] = at;
    this.table[base + 1] = end;
    this.length += 1;
    return end;
  }

  /** Members mostly come in the order of the columns, so one comparison usually finds the name. */
  private scanMembers(start: number, places: number): number {
    const { bytes, view, table, names } = this;
    let at = skipSpace(bytes, start + 1);
    if (bytes[at] === CLOSE_BRACE) {
      return at + 1;
    }
    for (let expected = 0; ; ) {
      let column = expected;
      const name = names[expected];
      if (name?.standsAt(view, at)) {
        at += name.length;
        if ((bytes[at] as number) <= SPACE) {
          at = skipSpace(bytes, at);
        }
      } else {
        const nameEnd = endOfName(bytes, at);
        column = this.columnNamed(at, nameEnd);
        at = valueAfterColon(bytes, nameEnd);
      }
      const value = at;
      const first = bytes[at] as number;
      if (first === QUOTE) {
        at = endOfString(bytes, at + 1);
      } else {
        at = startsNumber(first) ? endOfNumber(bytes, at) : isNull(view, at) ? at + 4 : endOfValue(bytes, at);
      }
      if (column >= 0) {
        table[places + 2 * column] = value;
        table[places + 2 * column + 1] = at;
        expected = column + 1;
      }
      const next = bytes[at] === COMMA ? at : skipSpace(bytes, at);
      if (bytes[next] === CLOSE_BRACE) {
        return next + 1;
      }
      if (bytes[next] !== COMMA) {
        throw unexpected(bytes, next);
      }
      at = bytes[next + 1] === QUOTE ? next + 1 : skipSpace(bytes, next + 1);
    }
  }

  /** -1 for a name that is not a column; the name is remembered. */
  private columnNamed(start: number, end: number): number {
    const name = nameBetween(this.bytes, start, end);
    const column = this.columns.indexOf(name);
    if (column === -1) {
      this.others.add(name);
    }
    return column;
  }

  places(): RowPlaces {
    return { table: this.table.subarray(0, this.length * this.stride), others: this.others };
  }

  /** The rows found. The batch takes ownership of the bytes. */
  batch(): RowBatch {
    return new RowBatch(this.bytes, this.length, this.columns, this.places());
  }
}

/** The text of the name between these places, quotes included. */
export function nameBetween(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.subarray(start, end);
  return raw.includes(BACKSLASH) ? (JSON.parse(raw.toString()) as string) : raw.toString("utf8", 1, raw.length - 1);
}

/** A scanned array. `finish` may write into the bytes, so everything else in them has to be read first. */
export interface ArrayScan {
  /** Index after the array. */
  end: number;
  finish(): ScannedRows;
}

/**
 * Scans the array that begins at `at` for rows.
 *
 * The batch takes ownership of `bytes`. If the array has no white space around its rows, the commas between them are
 * overwritten with line ends and nothing is copied.
 *
 * @throws SyntaxError if the array is not JSON
 */
export function scanArray(bytes: Buffer, at: number, columns: readonly string[]): ArrayScan {
  const found = new RowCollector(bytes, columns);
  let foreign = -1;
  let contiguous = true;
  let elements = 0;
  let next = skipSpace(bytes, at + 1);
  while (bytes[next] !== CLOSE_BRACKET || elements > 0) {
    const isRow = bytes[next] === OPEN_BRACE;
    foreign = isRow || foreign >= 0 ? foreign : elements;
    const end = isRow ? found.add(next) : endOfValue(bytes, next);
    elements += 1;
    next = skipSpace(bytes, end);
    if (bytes[next] === CLOSE_BRACKET) {
      break;
    }
    if (bytes[next] !== COMMA) {
      throw unexpected(bytes, next);
    }
    next = skipSpace(bytes, next + 1);
    contiguous &&= isRow && next === end + 1;
  }
  return { end: next + 1, finish: () => ({ rows: asLines(found.batch(), contiguous), foreign }) };
}

/** @param contiguous whether exactly one byte stands between any two rows */
function asLines(rows: RowBatch, contiguous: boolean): RowBatch {
  const { bytes, length, columns } = rows;
  if (length === 0) {
    return rows;
  }
  if (!contiguous || hasLineBreak(bytes, rows.start(0), rows.end(length - 1))) {
    return batchOfLines(joinLines(rows), columns);
  }
  for (let row = 0; row < length; row += 1) {
    bytes[rows.end(row)] = LINE_FEED;
  }
  return rows;
}

/**
 * A batch from the bytes that `RowBatch.lines` returned. Offsets are found on first use; a caller that only writes the lines
 * again never needs them. The batch takes ownership of `bytes`.
 */
export function batchOfLines(bytes: Buffer, columns: readonly string[] = PRODUCT_COLUMNS): RowBatch {
  let rows = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    rows += 1;
  }
  return new RowBatch(bytes, rows, columns, () => scanLines(bytes, columns));
}

/**
 * Finds the rows of lines.
 *
 * @throws SyntaxError if they are not one JSON object a line, each followed by an LF
 */
function scanLines(bytes: Buffer, columns: readonly string[]): RowPlaces {
  const found = new RowCollector(bytes, columns);
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== OPEN_BRACE) {
      throw unexpected(bytes, at);
    }
    at = found.add(at);
    if (bytes[at] !== LINE_FEED) {
      throw unexpected(bytes, at);
    }
  }
  return found.places();
}

/**
 * Builds a batch from JSON texts.
 *
 * @param texts each the JSON text of one object
 * @throws SyntaxError if a text is not an object
 */
export function batchOf(texts: readonly string[], columns: readonly string[] = PRODUCT_COLUMNS): RowBatch {
  const { rows, foreign } = scanArray(Buffer.from(`[${texts.join(",")}]`), 0, columns).finish();
  if (foreign !== -1) {
    throw new SyntaxError(`${texts[foreign]} is not a JSON object`);
  }
  return rows;
}
