import { deserialize, serialize } from "node:v8";
import type { RowGroup } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { RowBatch } from "../../rows/batch.ts";
import type { EncoderOptions, RowEncoder } from "./encoder.ts";
import { type ColumnValue, columnReader, parquetSchema } from "./parquet-columns.ts";
import { reportUnknownMembers } from "./row-members.ts";

/** Rows of a full row group. One is held in memory until it is written. */
export const ROW_GROUP_ROWS = 50_000;

/** `created_by` of every Parquet file that this tool writes, in all versions; `sync --adopt` recognises its files by it. */
export const PARQUET_WRITER = "retail-catalog-cli";

/** The row groups of one slice, as the footer describes them. */
interface SliceState {
  /** Bytes of the file after the slice. */
  offset: number;
  groups: RowGroup[];
}

/**
 * Apache Parquet: a flat schema with the types of the contract, Snappy, dictionaries where they save space,
 * statistics of every column in every row group. A row group ends after `ROW_GROUP_ROWS` rows and at the end of a slice,
 * independent of the calls of `encode`, so that the bytes depend only on the rows and the slices.
 */
export function createParquetEncoder(options: EncoderOptions): RowEncoder {
  const { known, chosen, restore = [] } = options;
  const columns = chosen ?? known;
  const readers = columns.map((column) => columnReader(column, options));
  const reportUnknown = reportUnknownMembers(options);
  const bytes = new ByteWriter();
  const file = new ParquetWriter({ writer: bytes, schema: parquetSchema(columns), createdBy: PARQUET_WRITER });
  let held = emptyColumns();
  let written = 0;

  function emptyColumns(): ColumnValue[][] {
    return columns.map(() => []);
  }

  function add(rows: RowBatch, row: number): void {
    for (const [index, read] of readers.entries()) {
      held[index]?.push(read(rows, row));
    }
  }

  function writeGroup(): void {
    const rows = held[0]?.length ?? 0;
    if (rows > 0) {
      const columnData = columns.map((name, index) => ({ name, data: held[index] ?? [], offsetIndex: false }));
      file.write({ columnData, rowGroupSize: rows });
      file.pendingIndexes.length = 0;
      held = emptyColumns();
    }
  }

  function take(): Uint8Array {
    const taken = bytes.getBytes().slice();
    bytes.index = 0;
    return taken;
  }

  if (restore.length > 0) {
    const states = restore.map((state) => deserialize(Buffer.from(state, "base64")) as SliceState);
    file.row_groups = states.flatMap(({ groups }) => groups);
    file.num_rows = file.row_groups.reduce((sum, group) => sum + group.num_rows, 0n);
    written = file.row_groups.length;
    bytes.index = 0;
    bytes.offset = states.at(-1)?.offset ?? 0;
  }

  return {
    begin: take,
    encode: (rows) => {
      reportUnknown(rows);
      for (let row = 0; row < rows.length; row += 1) {
        add(rows, row);
        if (held[0]?.length === ROW_GROUP_ROWS) {
          writeGroup();
        }
      }
      return take();
    },
    endSlice: () => {
      writeGroup();
      const state: SliceState = { offset: bytes.offset, groups: file.row_groups.slice(written) };
      written = file.row_groups.length;
      return { chunk: take(), state: serialize(state).toString("base64") };
    },
    end: () => {
      writeGroup();
      file.finish();
      return take();
    },
  };
}
