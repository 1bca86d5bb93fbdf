import type { ColumnChunk, SchemaElement } from "hyparquet";
import type { ByteWriter } from "hyparquet-writer";
import { ContractError } from "../../../contract/errors.ts";
import { isCalendarDate } from "../../../contract/filters.ts";
import { productSchema } from "../../../contract/product.ts";
import { dayNumber } from "../../../contract/values/day-arithmetic.ts";
import { isExactDouble } from "../../../contract/values/decimal.ts";
import type { RowBatch } from "../../../rows/batch.ts";
import { BACKSLASH, QUOTE } from "../../../rows/json-bytes.ts";
import type { ColumnType, EncoderOptions, Loss } from "../encoder.ts";
import { identityOf, missingMember } from "../row-members.ts";
import { type PageWriter, writeChunk } from "./column-chunk.ts";
import { appendPart, ColumnValues } from "./column-values.ts";

/** First byte of `null`, and of no other JSON value. */
const LETTER_N = 110;

/** Called for a value that a file cannot hold as it is. */
type LossReport = (loss: Loss) => void;

/** How values are stored. Each is the JSON text between two offsets. */
interface Kind {
  element: Omit<SchemaElement, "name">;
  fits(bytes: Buffer, start: number, end: number, report: LossReport): boolean;
  /** Appends one that fits. */
  append(plain: ByteWriter, bytes: Buffer, start: number, end: number, report: LossReport): void;
}

const KINDS: Readonly<Record<ColumnType["kind"], Kind>> = {
  string: {
    element: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
    fits: (bytes, start) => bytes[start] === QUOTE,
    append: appendText,
  },
  number: {
    element: { type: "DOUBLE" },
    fits: (bytes, start, end, report) => {
      const raw = bytes.toString("latin1", start, end);
      const isNumber = /^[-\d]/.test(raw) && Number.isFinite(Number(raw));
      if (isNumber && !isExactDouble(raw)) {
        report("digits");
      }
      return isNumber;
    },
    // A zero without a sign, so that equal values have equal bytes.
    append: (plain, bytes, start, end) => plain.appendFloat64(Number(bytes.toString("latin1", start, end)) || 0),
  },
  integer: {
    element: { type: "INT64" },
    fits: (bytes, start, end) => /^-?\d{1,18}$/.test(bytes.toString("latin1", start, end)),
    append: (plain, bytes, start, end) => plain.appendInt64(BigInt(bytes.toString("latin1", start, end))),
  },
  date: {
    element: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
    fits: (bytes, start, end) => bytes[start] === QUOTE && isCalendarDate(textOf(bytes, start, end)),
    append: (plain, bytes, start, end) => plain.appendInt32(dayNumber(textOf(bytes, start, end))),
  },
};

/** The column in the schema of a file; without a type of its own, it is the contract's. */
export function parquetElement(name: string, { kind, nullable } = contractType(name)): SchemaElement {
  return { name, repetition_type: nullable ? "OPTIONAL" : "REQUIRED", ...KINDS[kind].element };
}

/** One column of a file. @param mostRows that are added before a `write` */
export function createColumn(name: string, mostRows: number, options: EncoderOptions) {
  const type = options.types?.[name] ?? contractType(name);
  const { kind, nullable } = type;
  const { fits, append } = KINDS[kind];
  const element = parquetElement(name, type);
  const held = new ColumnValues(mostRows);
  const report = (loss: Loss) => options.onLoss?.(loss, name);

  return {
    element,
    /**
     * Adds the values of the rows from `from` to the one before `to`.
     *
     * @throws ContractError if a value does not fit the type of the column
     */
    add: (rows: RowBatch, from: number, to: number): void => {
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
        } else if (held.add(bytes, view, start, end) && !fits(bytes, start, end, report)) {
          const raw = bytes.toString("utf8", start, end).slice(0, 80);
          throw new ContractError(
            `the service sent "${name}" as ${raw} (${identityOf(rows, row)}), which is no ${kind}; ndjson can carry it`,
          );
        }
      }
    },
    /** Writes the values of all rows since the last call. */
    write: (writer: PageWriter): ColumnChunk => {
      const { bytes, starts } = writer.plain;
      const texts = Buffer.from(held.texts.buffer);
      bytes.index = 0;
      for (let number = 0; number < held.count; number += 1) {
        append(bytes, texts, held.starts[number] as number, held.starts[number + 1] as number, report);
        starts[number + 1] = bytes.index;
      }
      const chunk = writeChunk(writer, element, held);
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

function appendText(plain: ByteWriter, bytes: Buffer, start: number, end: number, report: LossReport): void {
  if (!hasEscape(bytes, start, end)) {
    plain.appendUint32(end - start - 2);
    appendPart(plain, bytes, start + 1, end - 1);
    return;
  }
  const text = textOf(bytes, start, end);
  if (/\p{Surrogate}/u.test(text)) {
    report("surrogate");
  }
  const encoded = Buffer.from(text);
  plain.appendUint32(encoded.length);
  plain.appendBytes(encoded);
}

function hasEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if (bytes[at] === BACKSLASH) {
      return true;
    }
  }
  return false;
}

/** The text of a JSON string. */
function textOf(bytes: Buffer, start: number, end: number): string {
  return JSON.parse(bytes.toString("utf8", start, end)) as string;
}
