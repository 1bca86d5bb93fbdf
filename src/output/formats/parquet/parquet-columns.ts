import type { ColumnChunk, SchemaElement } from "hyparquet";
import { isCalendarDate } from "../../../contract/filters.ts";
import { productSchema } from "../../../contract/product.ts";
import { dayNumber } from "../../../contract/values/day-arithmetic.ts";
import { isExactDouble } from "../../../contract/values/decimal.ts";
import { ContractError } from "../../../errors.ts";
import type { RowBatch } from "../../../rows/batch.ts";
import { BACKSLASH, QUOTE } from "../../../rows/json-bytes.ts";
import type { ColumnType, EncoderOptions } from "../encoder.ts";
import type { OutputBytes } from "../output-bytes.ts";
import { identityOf, missingMember, reportOnce } from "../row-members.ts";
import { LENGTH_BYTES, type PageWriter, writeChunk } from "./column-chunk.ts";
import { ColumnValues } from "./column-values.ts";

/** First byte of `null`, and of no other JSON value. */
const LETTER_N = 110;

const ELEMENTS = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  number: { type: "DOUBLE" },
  integer: { type: "INT64" },
  date: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
} as const satisfies Record<ColumnType["kind"], Omit<SchemaElement, "name">>;

/** The column in the schema of a file; without a type of its own, it is the contract's. */
export function parquetElement(name: string, type = contractType(name)): SchemaElement {
  const { kind, nullable } = type;
  return { name, repetition_type: nullable ? "OPTIONAL" : "REQUIRED", ...ELEMENTS[kind] };
}

/** One column of a file. */
export interface ParquetColumn {
  /**
   * Adds the values of the rows from `from` to the one before `to`.
   *
   * @throws ContractError if a value does not fit the type of the column
   */
  add(rows: RowBatch, from: number, to: number): void;
  /** Writes the values of all rows since the last call. */
  write(writer: PageWriter): ColumnChunk;
}

/** @param mostRows that are added before a `write` */
export function createColumn(name: string, mostRows: number, options: EncoderOptions): ParquetColumn {
  const type = options.types?.[name] ?? contractType(name);
  const { kind, nullable } = type;
  const element = parquetElement(name, type);
  const held = new ColumnValues(mostRows);
  const append = {
    string: textAppender(name, reportOnce(options.onLoneSurrogate)),
    number: appendNumber,
    integer: appendInteger,
    date: appendDay,
  }[kind];
  const fits = {
    string: isText,
    number: numberCheck(name, reportOnce(options.onRounded)),
    integer: isInteger,
    date: isDay,
  }[kind];

  return {
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
        if (nullable && bytes[start] === LETTER_N) {
          held.addNull();
        } else if (held.add(bytes, view, start, end) && !fits(bytes, start, end)) {
          const raw = bytes.toString("utf8", start, end).slice(0, 80);
          throw new ContractError(
            `the service sent "${name}" as ${raw} (${identityOf(rows, row)}), which is no ${kind}; ndjson can carry it`,
          );
        }
      }
    },
    write: (writer) => {
      const { plain } = writer;
      plain.bytes.length = 0;
      plain.count = held.count;
      for (let number = 0; number < held.count; number += 1) {
        append(plain.bytes, held.texts.bytes, held.starts[number] as number, held.starts[number + 1] as number);
        plain.starts[number + 1] = plain.bytes.length;
      }
      const present = nullable ? held.present() : undefined;
      const chunk = writeChunk(writer, { element, rows: held.rows, numbers: held.presentNumbers(), present });
      held.clear();
      return chunk;
    },
  };
}

function contractType(name: string): ColumnType {
  const properties: Readonly<Record<string, { type: string | readonly string[]; format?: string }>> =
    productSchema.properties;
  const property = properties[name];
  return {
    kind: property?.type === "number" ? "number" : property?.format === "date" ? "date" : "string",
    nullable: property?.type.includes("null") ?? false,
  };
}

/** Whether the JSON text between two offsets is a value of the column. */
type ValueCheck = (bytes: Buffer, start: number, end: number) => boolean;

/** Appends the JSON text between two offsets as Parquet stores its value. */
type Appender = (plain: OutputBytes, bytes: Buffer, start: number, end: number) => void;

const isText: ValueCheck = (bytes, start) => bytes[start] === QUOTE;

function textAppender(name: string, reportSurrogate: (column: string) => void): Appender {
  const parse = (bytes: Buffer, start: number, end: number): string => {
    const text = JSON.parse(bytes.toString("utf8", start, end)) as string;
    if (/\p{Surrogate}/u.test(text)) {
      reportSurrogate(name);
    }
    return text;
  };
  return (plain, bytes, start, end) => {
    const at = plain.length;
    plain.reserve(LENGTH_BYTES);
    plain.length += LENGTH_BYTES;
    if (hasEscape(bytes, start, end)) {
      plain.addText(parse(bytes, start, end));
    } else {
      plain.addPart(bytes, start + 1, end - 1);
    }
    plain.bytes.writeUInt32LE(plain.length - at - LENGTH_BYTES, at);
  };
}

function hasEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if (bytes[at] === BACKSLASH) {
      return true;
    }
  }
  return false;
}

function numberCheck(name: string, reportRounded: (column: string) => void): ValueCheck {
  return (bytes, start, end) => {
    const raw = bytes.toString("latin1", start, end);
    const isNumber = /^[-\d]/.test(raw) && Number.isFinite(Number(raw));
    if (isNumber && !isExactDouble(raw)) {
      reportRounded(name);
    }
    return isNumber;
  };
}

const appendNumber: Appender = (plain, bytes, start, end) => {
  const value = Number(bytes.toString("latin1", start, end));
  plain.reserve(8);
  // Without a sign, so that equal values have equal bytes.
  plain.length = plain.bytes.writeDoubleLE(value === 0 ? 0 : value, plain.length);
};

const isInteger: ValueCheck = (bytes, start, end) => /^-?\d{1,18}$/.test(bytes.toString("latin1", start, end));

const appendInteger: Appender = (plain, bytes, start, end) => {
  plain.reserve(8);
  plain.length = plain.bytes.writeBigInt64LE(BigInt(bytes.toString("latin1", start, end)), plain.length);
};

const isDay: ValueCheck = (bytes, start, end) => {
  const date: unknown = bytes[start] === QUOTE ? JSON.parse(bytes.toString("utf8", start, end)) : undefined;
  return typeof date === "string" && isCalendarDate(date);
};

const appendDay: Appender = (plain, bytes, start, end) => {
  plain.reserve(4);
  plain.length = plain.bytes.writeInt32LE(
    dayNumber(JSON.parse(bytes.toString("utf8", start, end)) as string),
    plain.length,
  );
};
