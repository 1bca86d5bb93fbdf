import type { RowBatch } from "../../rows/batch.ts";

/** Bytes of the output, or text that is to be written as UTF-8. */
export type Chunk = string | Uint8Array;

/**
 * Turns rows into one output format. The output is `begin()`, the chunks of every `encode()` in the order of the
 * calls, then `end()`. A chunk may be empty: a format may hold rows back until it has enough of them.
 */
export interface RowEncoder {
  begin(): Chunk | Promise<Chunk>;
  /**
   * @param rows as the API sent them
   * @throws ContractError where a row lacks a column that is to be written.
   */
  encode(rows: RowBatch): Chunk | Promise<Chunk>;
  end(): Chunk | Promise<Chunk>;
  /**
   * Brings out what is held back, because a later run may go on from here. For formats that hold rows back, or whose
   * end depends on what came before: `state` is what another encoder needs to go on.
   */
  endSlice?(): { chunk: Chunk; state: string };
}

export type Spreadsheet = "bom" | "excel";

export interface EncoderOptions {
  /** Every column of this kind of row, in the contract's order. */
  known: readonly string[];
  /** The columns asked for, in the order asked for; without them NDJSON and JSON carry the rows as they came. */
  chosen?: readonly string[] | undefined;
  /**
   * CSV and TSV for a spreadsheet. `bom`: a byte order mark first, by which it knows UTF-8. `excel`: that too, and text
   * which it would take for a formula begins with an apostrophe.
   */
  spreadsheet?: Spreadsheet | undefined;
  /** Rows of the same output were written before by another encoder; `begin` is not called again. */
  continues?: boolean | undefined;
  /** The `state` of each slice that was written before, from first to last; with them `continues` is not needed. */
  restore?: readonly string[] | undefined;
  /** Called once for each member that the rows have beyond `known` and that the output leaves out unasked. */
  onUnknownMember?: ((name: string) => void) | undefined;
  /** Called once for each column with a value that UTF-8 cannot carry: half a surrogate pair, written as U+FFFD. */
  onLoneSurrogate?: ((column: string) => void) | undefined;
  /** Called once for each column with a number of which the format keeps only the nearest double. */
  onRounded?: ((column: string) => void) | undefined;
}
