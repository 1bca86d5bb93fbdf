import type { SchemaElement } from "hyparquet";
import { productSchema } from "../../../contract/product.ts";
import { ContractError } from "../../../errors.ts";
import type { RowBatch } from "../../../rows/batch.ts";
import type { EncoderOptions } from "../encoder.ts";
import { identityOf, memberOf, reportOnce } from "../row-members.ts";
import type { ColumnChunkBuilder, ColumnElement } from "./column-chunk.ts";
import { dateReader, numberReader, textReader } from "./parquet-values.ts";

const ELEMENTS = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  number: { type: "DOUBLE" },
  date: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
} as const satisfies Record<string, Omit<ColumnElement, "name">>;

/** The columns of a file, in this order; types and nullability are those of the contract. */
export function parquetColumns(names: readonly string[]): ColumnElement[] {
  return names.map((name) => {
    const { kind, nullable } = columnOf(name);
    return { name, repetition_type: nullable ? "OPTIONAL" : "REQUIRED", ...ELEMENTS[kind] };
  });
}

/** The schema of a file with these columns. */
export function parquetSchema(columns: readonly ColumnElement[]): SchemaElement[] {
  return [{ name: "schema", num_children: columns.length }, ...columns];
}

function columnOf(name: string): { kind: keyof typeof ELEMENTS; nullable: boolean } {
  const properties: Readonly<Record<string, { type: string | readonly string[]; format?: string }>> =
    productSchema.properties;
  const property = properties[name];
  return {
    kind: property?.type === "number" ? "number" : property?.format === "date" ? "date" : "string",
    nullable: property?.type.includes("null") ?? false,
  };
}

/** Adds one column of the rows from `from` to the one before `to` to its chunk. @param view of the bytes of the rows */
export type ColumnReader = (rows: RowBatch, view: DataView, from: number, to: number) => void;

/**
 * Creates the reader of a column, which adds values as Parquet stores them: UTF-8, a double, days since 1970-01-01, or
 * null. Usual values are read from their bytes, the others are parsed as JSON.
 *
 * @throws ContractError from the returned function, if a value does not fit the type of the column
 */
export function columnReader(
  column: string,
  chunk: ColumnChunkBuilder,
  { onLoneSurrogate, onRounded }: EncoderOptions,
): ColumnReader {
  const { kind, nullable } = columnOf(column);
  const reportSurrogate = reportOnce(onLoneSurrogate);
  const reportRounded = reportOnce(onRounded);
  const values = {
    string: () => textReader(chunk, () => reportSurrogate(column)),
    number: () => numberReader(chunk, () => reportRounded(column)),
    date: () => dateReader(chunk),
  }[kind]();

  function addUnusual(rows: RowBatch, row: number): void {
    const raw = memberOf(rows, row, column);
    if (raw === "null" && nullable) {
      chunk.addNull();
    } else if (!values.addParsed(raw)) {
      throw new ContractError(
        `the service sent "${column}" as ${raw.slice(0, 80)} (${identityOf(rows, row)}), which is no ${kind}; ndjson can carry it`,
      );
    }
  }

  return (rows, view, from, to) => {
    const number = rows.column(column);
    for (let row = from; row < to; row += 1) {
      const start = rows.valueStart(row, number);
      // A row that lacks the column has it from 0 to 0.
      if (start === 0 || !values.addUsual(view, start, rows.valueEnd(row, number))) {
        addUnusual(rows, row);
      }
    }
  };
}
