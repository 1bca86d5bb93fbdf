const EMPTY = Buffer.alloc(0);

/** Entries of one row in `RowBatch.table` before those of its members: start and end of the row. */
const ROW_ENTRIES = 2;

/** Entries of one row in `RowBatch.table` where rows have this many columns. */
export function strideOf(columns: readonly string[]): number {
  return ROW_ENTRIES + 2 * columns.length;
}

/** Offsets of the rows and values of a batch. */
export interface RowPlaces {
  /** For each row `strideOf(columns)` entries: its start and end, then start and end of each column's value. */
  table: Uint32Array;
  /** Names of members beyond the columns that at least one row has; in a slice, a row of the whole batch. */
  others: ReadonlySet<string>;
}

/**
 * Rows as the service sent them: bytes, and the offsets of each row and each value. Nothing is parsed. Each
 * row is the JSON text of one object, followed by one LF (NDJSON). In a batch of a response, `bytes` has more before and after.
 *
 * Offsets are positions in `bytes`. Start = end = 0: the row has no such member. If a name repeats, the last value
 * counts, as in `JSON.parse`.
 */
export class RowBatch {
  /** Names of the members whose places are known. The index of one is the `column` that methods take. */
  readonly columns: readonly string[];
  /** UTF-8. It holds more than the rows if they come from a response. */
  readonly bytes: Buffer;
  /** Number of rows. */
  readonly length: number;
  private known: RowPlaces | undefined;
  private readonly find: () => RowPlaces;

  /** @param places offsets of the rows, or a function that finds them on first use */
  constructor(bytes: Buffer, length: number, columns: readonly string[], places: RowPlaces | (() => RowPlaces)) {
    this.bytes = bytes;
    this.length = length;
    this.columns = columns;
    this.known = typeof places === "function" ? undefined : places;
    this.find = typeof places === "function" ? places : () => places;
  }

  private places(): RowPlaces {
    this.known = this.find();
    return this.known;
  }

  private get table(): Uint32Array {
    return (this.known ?? this.places()).table;
  }

  /** Names of members beyond `columns` that at least one row has. */
  get others(): ReadonlySet<string> {
    return (this.known ?? this.places()).others;
  }

  start(row: number): number {
    return this.table[row * strideOf(this.columns)] as number;
  }

  end(row: number): number {
    return this.table[row * strideOf(this.columns) + 1] as number;
  }

  valueStart(row: number, column: number): number {
    return column < 0 ? 0 : (this.table[row * strideOf(this.columns) + ROW_ENTRIES + 2 * column] as number);
  }

  valueEnd(row: number, column: number): number {
    return column < 0 ? 0 : (this.table[row * strideOf(this.columns) + ROW_ENTRIES + 2 * column + 1] as number);
  }

  /** Whether a value has the same bytes as that of the row before, which must exist. True if both rows lack it. */
  isAsBefore(row: number, column: number): boolean {
    const { table, bytes } = this;
    if (column < 0) {
      return true;
    }
    const stride = strideOf(this.columns);
    const place = row * stride + ROW_ENTRIES + 2 * column;
    const start = table[place] as number;
    const before = table[place - stride] as number;
    const length = (table[place + 1] as number) - start;
    if (length !== (table[place + 1 - stride] as number) - before) {
      return false;
    }
    for (let at = 0; at < length; at += 1) {
      if (bytes[start + at] !== bytes[before + at]) {
        return false;
      }
    }
    return true;
  }

  /** All rows as NDJSON, an LF after each; not a copy. */
  lines(): Buffer {
    if (this.length === 0) {
      return EMPTY;
    }
    return this.known === undefined ? this.bytes : this.bytesOf(0, this.length);
  }

  /** The rows from `from` up to `to` as NDJSON, an LF after each; not a copy. `to` must be greater than `from`. */
  bytesOf(from: number, to: number): Buffer {
    return this.bytes.subarray(this.start(from), this.end(to - 1) + 1);
  }

  /** JSON text of a row. */
  text(row: number): string {
    return this.bytes.toString("utf8", this.start(row), this.end(row));
  }

  /** JSON text of every row. */
  texts(): string[] {
    return Array.from({ length: this.length }, (_, row) => this.text(row));
  }

  /** JSON text of a value; undefined where the row lacks it. */
  raw(row: number, column: number): string | undefined {
    const start = this.valueStart(row, column);
    return start === 0 ? undefined : this.bytes.toString("utf8", start, this.valueEnd(row, column));
  }

  /** Index of a column, as `raw`, `valueStart`, `valueEnd` and `isAsBefore` take it; -1 if it is not in `columns`. */
  column(name: string): number {
    return this.columns.indexOf(name);
  }

  /** The rows from `from` up to `to`, both from 0; bytes and places are shared. */
  slice(from: number, to = this.length): RowBatch {
    const end = Math.min(to, this.length);
    const stride = strideOf(this.columns);
    const first = Math.min(from, end);
    if (first === 0 && end === this.length) {
      return this;
    }
    const table = this.table.subarray(first * stride, end * stride);
    return new RowBatch(this.bytes, end - first, this.columns, { table, others: this.others });
  }
}
