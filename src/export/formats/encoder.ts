import type { RowBatch } from "../../rows/batch.ts";

/** Bytes of the output, or text to be written as UTF-8. */
export type Chunk = string | Uint8Array;

/**
 * Makes the bytes of an output: the chunks of every `encode()` in the order of the calls, then those of `end()`. A chunk may
 * be empty, because an encoder may buffer.
 */
export interface Encoder<Input> {
  encode(input: Input): Chunk | Promise<Chunk>;
  end(): Iterable<Chunk> | AsyncIterable<Chunk>;
  /** Removes files that it needed, also after an error. */
  close?(): Promise<void>;
}

/**
 * Turns rows, as the API sent them, into one format. `encode` throws `ContractError` if a row lacks a column of the
 * output.
 */
export type RowEncoder = Encoder<RowBatch>;

/** The scratch files that an encoder may create beside `path`. */
export function scratchFilesOf(path: string): readonly [rows: string, copy: string] {
  return [`${path}.rows`, `${path}.copy`];
}

/** @param scratchPath gives the path that the names of its own files begin with, if it needs any */
export type CreateEncoder = (options: EncoderOptions, scratchPath: () => Promise<string>) => RowEncoder;

export type Spreadsheet = "bom" | "excel";

/** The type of a column in a format that has types. */
export interface ColumnType {
  kind: "string" | "number" | "integer" | "date" | "boolean";
  nullable: boolean;
}

/**
 * What a value is in a sheet. `date`: YYYY-MM-DD becomes a date. `timestamp`: `YYYY-MM-DD HH:MM:SS`, with at most
 * milliseconds, becomes a date with a time. `link`: an http or https address can be clicked, if links are asked for. A text
 * of another shape stays text. `percent`: the number 12.5 stays 12.5 and is shown as 12.5%.
 */
export type CellKind = "date" | "timestamp" | "link" | "percent";

export type CellKinds = Readonly<Record<string, CellKind>>;

/**
 * What a format cannot represent. `member`: a member that is not in `known` is left out, although no flag chose columns.
 * `surrogate`: half a surrogate pair, which UTF-8 lacks, is written as U+FFFD. `digits`: a number is rounded to the nearest
 * double. `truncated`: a text is cut. `link`: an address stays text, because a sheet can have no more links.
 */
export type Loss = "member" | "surrogate" | "digits" | "truncated" | "link";

export interface EncoderOptions {
  /** Every column of this kind of row, in the contract's order. */
  known: readonly string[];
  /** The requested columns in the requested order; without them NDJSON and JSON contain the rows unchanged. */
  chosen?: readonly string[] | undefined;
  /** Columns that are left out, because the folders of the output name their values (`crawl_date=2026-01-01/`). */
  partitionedBy?: readonly string[] | undefined;
  /**
   * CSV and TSV for a spreadsheet. `bom`: the output begins with a byte order mark, which marks it as UTF-8. `excel`: in
   * addition, text is protected from being read as a formula, number or date.
   */
  spreadsheet?: Spreadsheet | undefined;
  /** The kinds of columns in a sheet of xlsx, where their names do not show them. */
  kinds?: CellKinds | undefined;
  /** Parquet types of the columns whose type is not the contract's. */
  types?: Readonly<Record<string, ColumnType>> | undefined;
  /** Whether addresses in a sheet of xlsx can be clicked. */
  links?: boolean | undefined;
  /** Called, maybe more than once, for each column of which something is lost. */
  onLoss?: (loss: Loss, column: string) => void;
}
