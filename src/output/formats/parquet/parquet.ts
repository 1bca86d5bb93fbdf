import type { ColumnChunk } from "hyparquet";
import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";
import { snappyCompressor } from "hysnappy";
import type { RowBatch } from "../../../rows/batch.ts";
import type { EncoderOptions, RowEncoder } from "../encoder.ts";
import { columnsOf, reportUnknownMembers } from "../row-members.ts";
import { createColumn, parquetElement } from "./parquet-columns.ts";

/** Rows of a full row group. The columns of one are in memory until it is written. */
export const ROW_GROUP_ROWS = 10_000;

/** Bytes of JSON after which a row group ends although it is not full; usual rows have less than half of it. */
const ROW_GROUP_BYTES = 64 * 1024 * 1024;

/** `created_by` of every Parquet file that this tool writes, in all versions; `sync --adopt` recognises its files by it. */
export const PARQUET_WRITER = "retail-catalog-cli";

/**
 * Apache Parquet: a flat schema with the types of the contract, Snappy, dictionaries where they save space,
 * statistics of every column in every row group. A row group ends after `ROW_GROUP_ROWS` rows or `ROW_GROUP_BYTES`,
 * independent of the calls of `encode`, so that the bytes depend only on the rows.
 */
export function createParquetEncoder(options: EncoderOptions): RowEncoder {
  const names = columnsOf(options);
  const columns = names.map((name) => createColumn(name, ROW_GROUP_ROWS, options));
  const reportUnknown = reportUnknownMembers(options);
  const bytes = new ByteWriter();
  const schema = [{ name: "schema", num_children: names.length }, ...names.map(parquetElement)];
  const file = new ParquetWriter({ writer: bytes, schema, createdBy: PARQUET_WRITER });
  // The library asks for a column when it writes it, so that the values of one column are in memory at a time.
  const columnData = columns.map(
    ({ name, values }): ColumnSource => ({
      name,
      get data() {
        return values();
      },
      offsetIndex: false,
    }),
  );
  let heldRows = 0;
  let heldBytes = 0;

  /** Adds rows from `from` until the row group is full; returns the first row that was not added. */
  function add(rows: RowBatch, from: number): number {
    let to = from;
    while (to < rows.length && !isFull()) {
      heldBytes += rows.end(to) - rows.start(to);
      heldRows += 1;
      to += 1;
    }
    for (const column of columns) {
      column.add(rows, from, to);
    }
    return to;
  }

  function isFull(): boolean {
    return heldRows >= ROW_GROUP_ROWS || heldBytes >= ROW_GROUP_BYTES;
  }

  function writeGroup(): void {
    if (heldRows === 0) {
      return;
    }
    // A compressor keeps its table of known bytes. With a new one, a row group does not depend on the ones before.
    file.compressors.SNAPPY = snappyCompressor();
    file.write({ columnData, rowGroupSize: heldRows });
    file.row_groups.at(-1)?.columns.forEach(keepBounds);
    for (const column of columns) {
      column.clear();
    }
    heldRows = 0;
    heldBytes = 0;
  }

  function take(): Uint8Array {
    const taken = bytes.getBytes().slice();
    bytes.index = 0;
    return taken;
  }

  return {
    begin: take,
    encode: (rows) => {
      reportUnknown(rows);
      for (let row = 0; row < rows.length; ) {
        row = add(rows, row);
        if (isFull()) {
          writeGroup();
        }
      }
      return take();
    },
    end: () => {
      writeGroup();
      file.finish();
      return take();
    },
  };
}

/** Copies the bounds of a column, which are bytes of its values until then; the next row group overwrites these. */
function keepBounds({ meta_data }: ColumnChunk): void {
  const statistics = meta_data?.statistics;
  for (const bound of ["min_value", "max_value"] as const) {
    const value = statistics?.[bound];
    if (statistics !== undefined && value instanceof Uint8Array) {
      statistics[bound] = new Uint8Array(value);
    }
  }
}
