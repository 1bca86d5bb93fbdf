import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { RowBatch } from "../../../rows/batch.ts";
import type { EncoderOptions, RowEncoder } from "../encoder.ts";
import { columnsOf, reportUnknownMembers } from "../row-members.ts";
import { ColumnChunkBuilder } from "./column-chunk.ts";
import { columnReader, parquetColumns, parquetSchema } from "./parquet-columns.ts";
import { createCompressor } from "./parquet-pages.ts";

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
  const columns = parquetColumns(columnsOf(options));
  const chunks = columns.map((element) => new ColumnChunkBuilder(element));
  const readers = chunks.map((chunk) => columnReader(chunk.name, chunk, options));
  const reportUnknown = reportUnknownMembers(options);
  const bytes = new ByteWriter();
  const file = new ParquetWriter({ writer: bytes, schema: parquetSchema(columns), createdBy: PARQUET_WRITER });
  let heldRows = 0;
  let heldBytes = 0;

  /** Adds rows from `from` until the row group is full; returns the first row that was not added. */
  function add(rows: RowBatch, view: DataView, from: number): number {
    let to = from;
    while (to < rows.length && !isFull()) {
      heldBytes += rows.end(to) - rows.start(to);
      heldRows += 1;
      to += 1;
    }
    for (const read of readers) {
      read(rows, view, from, to);
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
    // A new one, so that the bytes of a row group do not depend on what this process wrote before.
    const compress = createCompressor();
    const parts = chunks.map((chunk) => chunk.write(bytes, compress));
    const num_rows = BigInt(heldRows);
    file.num_rows += num_rows;
    file.row_groups.push({
      columns: parts,
      total_byte_size: parts.reduce((sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n), 0n),
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
      reportUnknown(rows);
      const view = new DataView(rows.bytes.buffer, rows.bytes.byteOffset, rows.bytes.byteLength);
      for (let row = 0; row < rows.length; ) {
        row = add(rows, view, row);
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
