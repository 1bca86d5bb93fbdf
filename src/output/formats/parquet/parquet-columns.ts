import type { SchemaElement } from "hyparquet";
import { isCalendarDate } from "../../../contract/filters.ts";
import { productSchema } from "../../../contract/product.ts";
import { dayNumber } from "../../../contract/values/day-arithmetic.ts";
import { isExactDouble } from "../../../contract/values/decimal.ts";
import { ContractError } from "../../../errors.ts";
import type { RowBatch } from "../../../rows/batch.ts";
import { BACKSLASH, QUOTE } from "../../../rows/json-bytes.ts";
import type { EncoderOptions } from "../encoder.ts";
import { identityOf, missingMember, reportOnce } from "../row-members.ts";
import { ColumnValues } from "./column-values.ts";

/** First byte of `null`, and of no other JSON value. */
const LETTER_N = 110;

const ELEMENTS = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  number: { type: "DOUBLE" },
  date: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
} as const satisfies Record<string, Omit<SchemaElement, "name">>;

/** A value as the Parquet library takes it: UTF-8, a number, days since 1970-01-01, or null. */
type StoredValue = Uint8Array | number | null;

/** The column in the schema of a file; type and nullability are those of the contract. */
export function parquetElement(name: string): SchemaElement {
  const { kind, nullable } = kindOf(name);
  return { name, repetition_type: nullable ? "OPTIONAL" : "REQUIRED", ...ELEMENTS[kind] };
}

/** One column of a file. */
export interface ParquetColumn {
  name: string;
  /**
   * Adds the values of the rows from `from` to the one before `to`.
   *
   * @throws ContractError if a value does not fit the type of the column
   */
  add(rows: RowBatch, from: number, to: number): void;
  /** The values of all rows since the last `clear`. */
  values(): StoredValue[];
  clear(): void;
}

/** @param mostRows that are added before a `clear` */
export function createColumn(name: string, mostRows: number, options: EncoderOptions): ParquetColumn {
  const { kind, nullable } = kindOf(name);
  const held = new ColumnValues(mostRows);
  const read = {
    string: textReader(name, reportOnce(options.onLoneSurrogate)),
    number: numberReader(name, reportOnce(options.onRounded)),
    date: readDate,
  }[kind];

  function storedValue(bytes: Buffer, start: number, end: number): StoredValue | undefined {
    return nullable && bytes[start] === LETTER_N ? null : read(bytes, start, end);
  }

  function assertFits(rows: RowBatch, row: number, start: number, end: number): void {
    if (storedValue(rows.bytes, start, end) === undefined) {
      const raw = rows.bytes.toString("utf8", start, end).slice(0, 80);
      throw new ContractError(
        `the service sent "${name}" as ${raw} (${identityOf(rows, row)}), which is no ${kind}; ndjson can carry it`,
      );
    }
  }

  return {
    name,
    add: (rows, from, to) => {
      const { bytes } = rows;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const number = rows.column(name);
      for (let row = from; row < to; row += 1) {
        const start = rows.valueStart(row, number);
        const end = rows.valueEnd(row, number);
        if (start === 0) {
          throw missingMember(rows, row, name);
        }
        // Every JSON string is a text, so that most values are read only once.
        if (held.add(view, start, end) && (kind !== "string" || bytes[start] !== QUOTE)) {
          assertFits(rows, row, start, end);
        }
      }
    },
    values: () => held.map((bytes, start, end) => storedValue(bytes, start, end) ?? null),
    clear: () => held.clear(),
  };
}

function kindOf(name: string): { kind: keyof typeof ELEMENTS; nullable: boolean } {
  const properties: Readonly<Record<string, { type: string | readonly string[]; format?: string }>> =
    productSchema.properties;
  const property = properties[name];
  return {
    kind: property?.type === "number" ? "number" : property?.format === "date" ? "date" : "string",
    nullable: property?.type.includes("null") ?? false,
  };
}

/** Reads the JSON text between two offsets; undefined if it is not of the type. */
type ValueReader = (bytes: Buffer, start: number, end: number) => StoredValue | undefined;

function textReader(name: string, reportSurrogate: (column: string) => void): ValueReader {
  return (bytes, start, end) => {
    if (bytes[start] !== QUOTE) {
      return undefined;
    }
    const utf8 = bytes.subarray(start + 1, end - 1);
    if (!utf8.includes(BACKSLASH)) {
      return utf8;
    }
    const text = JSON.parse(`"${utf8}"`) as string;
    if (/\p{Surrogate}/u.test(text)) {
      reportSurrogate(name);
    }
    return Buffer.from(text);
  };
}

function numberReader(name: string, reportRounded: (column: string) => void): ValueReader {
  return (bytes, start, end) => {
    const raw = bytes.toString("latin1", start, end);
    const value = /^[-\d]/.test(raw) ? Number(raw) : Number.NaN;
    if (!Number.isFinite(value)) {
      return undefined;
    }
    if (!isExactDouble(raw)) {
      reportRounded(name);
    }
    // The library takes 0 and -0 for one value, the one that comes first.
    return value === 0 ? 0 : value;
  };
}

function readDate(bytes: Buffer, start: number, end: number): number | undefined {
  const date: unknown = bytes[start] === QUOTE ? JSON.parse(bytes.toString("utf8", start, end)) : undefined;
  return typeof date === "string" && isCalendarDate(date) ? dayNumber(date) : undefined;
}
