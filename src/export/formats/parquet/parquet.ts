import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { snappyCompressor } from "hysnappy";
import type { RowBatch } from "../../../rows/batch.ts";
import type { EncoderOptions, RowCode, RowEncoder } from "../encoder.ts";
import { columnsOf, reportUnknownMembers } from "../row-members.ts";
import { createColumn } from "./parquet-columns.ts";

/** Rows of a full row group. The columns of one are in memory until it is written. */
export const ROW_GROUP_ROWS = 5_000;

/** Bytes of JSON after which a row group ends although it is not full; usual rows have less than half of it. */
const ROW_GROUP_BYTES = 64 * 1024 * 1024;

/** First size of the memory that columns are written in. */
const FIRST_BYTES = 64 * 1024;

/** `created_by` of every Parquet file that this tool writes, in all versions; `sync --adopt` recognises its files by it. */
export const PARQUET_WRITER = "retail-catalog-cli";

export const PARQUET: RowCode = {
  createEncoder: createParquetEncoder,
  read: async function* (file, columns) {
    yield* (await import("./parquet-rows.ts")).parquetRows(file, columns);
  },
};

/**
 * Apache Parquet: a flat schema with the types of the contract or of the caller, Snappy, dictionaries where they save space,
 * statistics of every column in every row group. A row group ends after `ROW_GROUP_ROWS` rows or `ROW_GROUP_BYTES`,
 * independent of the calls of `encode`, so that the bytes depend only on the rows.
 */
export function createParquetEncoder(options: EncoderOptions): RowEncoder {
  const names = columnsOf(options);
  const columns = names.map((name) => createColumn(name, ROW_GROUP_ROWS, options));
  const bytes = new ByteWriter();
  const schema = [{ name: "schema", num_children: names.length }, ...columns.map(({ element }) => element)];
  const file = new ParquetWriter({ writer: bytes, schema, createdBy: PARQUET_WRITER });
  const plain = { bytes: new ByteWriter(FIRST_BYTES), starts: new Uint32Array(ROW_GROUP_ROWS + 1) };
  // A compressor keeps its table of known bytes, so each file has its own.
  const compress = snappyCompressor();
  const pages = { file: bytes, compress, plain, page: new ByteWriter(FIRST_BYTES) };
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
    const start = bytes.offset;
    const chunks = columns.map((column) => column.write(pages));
    const num_rows = BigInt(heldRows);
    file.num_rows += num_rows;
    file.row_groups.push({
      columns: chunks,
      total_byte_size: chunks.reduce((sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n), 0n),
      num_rows,
      total_compressed_size: BigInt(bytes.offset - start),
    });
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
      reportUnknownMembers(rows, options);
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
