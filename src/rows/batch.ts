const EMPTY = Buffer.alloc(0);

/** Entries of one row in `RowBatch.table` before those of its members: start and end of the row. */
const ROW_ENTRIES = 2;

/** Entries of one row in `RowBatch.table` where rows have this many columns. */
export function strideOf(columns: readonly string[]): number {
  return ROW_ENTRIES + 2 * columns.length;
}

/**
 * Rows as the service sent them: bytes, and where in them each row and each value lies. Nothing is parsed. The rows
 * stand one after another as NDJSON: each is the JSON text of one object on one line, and one LF follows it.
 *
 * Offsets are bytes of `bytes`. A value of 0 to 0 is a member that the row lacks; of a repeated name the last value
 * counts, as in `JSON.parse`.
 */
export class RowBatch {
  /** Names of the members whose places are known, in the order of their numbers. */
  readonly columns: readonly string[];
  /** Names of members beyond `columns` that at least one row has. */
  readonly others: ReadonlySet<string>;
  /** UTF-8; it may hold more than the rows. */
  bytes: Buffer;
  /** Number of rows. */
  length: number;
  /** For each row: its start and end, then start and end of each column's value. */
  private readonly table: Uint32Array;

  /** `table` holds `length` rows of `strideOf(columns)` entries. */
  constructor(
    bytes: Buffer,
    table: Uint32Array,
    length: number,
    columns: readonly string[],
    others: ReadonlySet<string>,
  ) {
    this.bytes = bytes;
    this.table = table;
    this.length = length;
    this.columns = columns;
    this.others = others;
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

  /** All rows as NDJSON, an LF after each; not a copy. */
  lines(): Buffer {
    return this.length === 0 ? EMPTY : this.bytes.subarray(this.start(0), this.end(this.length - 1) + 1);
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

  /** Number of a column, for `raw` and its neighbours; -1 where its places are not known. */
  column(name: string): number {
    return this.columns.indexOf(name);
  }

  /** The rows from `from` up to `to`, as `Array.prototype.slice` counts them; bytes and places are shared. */
  slice(from: number, to = this.length): RowBatch {
    const end = Math.min(to, this.length);
    const stride = strideOf(this.columns);
    const first = Math.min(from, end);
    return first === 0 && end === this.length
      ? this
      : new RowBatch(
          this.bytes,
          this.table.subarray(first * stride, end * stride),
          end - first,
          this.columns,
          this.others,
        );
  }

  /** Lets the bytes go, for whoever keeps the batch longer than its rows are needed. The batch is empty from then on. */
  clear(): void {
    this.bytes = EMPTY;
    this.length = 0;
  }
}
