import type { SchemaElement } from "hyparquet";
import { isCalendarDate } from "../../contract/filters.ts";
import { productSchema } from "../../contract/product.ts";
import { dayNumber } from "../../contract/values/day-arithmetic.ts";
import { isExactDouble } from "../../contract/values/decimal.ts";
import { ContractError } from "../../errors.ts";
import type { RowBatch } from "../../rows/batch.ts";
import type { EncoderOptions } from "./encoder.ts";
import { plainReaders } from "./parquet-values.ts";
import { identityOf, memberOf, reportOnce } from "./row-members.ts";

export type ColumnValue = string | Uint8Array | number | null;

type Kind = "string" | "number" | "date";

interface Column {
  kind: Kind;
  nullable: boolean;
}

const ELEMENTS = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  number: { type: "DOUBLE" },
  date: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
} as const satisfies Record<Kind, Omit<SchemaElement, "name">>;

/** The schema of a file with these columns, in this order; types and nullability are those of the contract. */
export function parquetSchema(columns: readonly string[]): SchemaElement[] {
  const elements = columns.map((name): SchemaElement => {
    const { kind, nullable } = columnOf(name);
    return { name, repetition_type: nullable ? "OPTIONAL" : "REQUIRED", ...ELEMENTS[kind] };
  });
  return [{ name: "schema", num_children: columns.length }, ...elements];
}

function columnOf(name: string): Column {
  const properties: Readonly<Record<string, { type: string | readonly string[]; format?: string }>> =
    productSchema.properties;
  const property = properties[name];
  return {
    kind: property?.type === "number" ? "number" : property?.format === "date" ? "date" : "string",
    nullable: property?.type.includes("null") ?? false,
  };
}

/**
 * Reads one column of a row as Parquet stores it: a text (or its UTF-8), a double, days since 1970-01-01, or null.
 *
 * @throws ContractError from the returned function, if a value does not fit the type of the column
 */
export function columnReader(
  column: string,
  { onLoneSurrogate, onRounded }: EncoderOptions,
): (rows: RowBatch, row: number) => ColumnValue {
  const { kind, nullable } = columnOf(column);
  const reportSurrogate = reportOnce(onLoneSurrogate);
  const reportRounded = reportOnce(onRounded);
  const readers = {
    string: (raw: string) => readString(raw, () => reportSurrogate(column)),
    number: (raw: string) => readNumber(raw, () => reportRounded(column)),
    date: readDate,
  } as const satisfies Record<Kind, (raw: string) => ColumnValue | undefined>;
  const read = readers[kind];
  const readPlain = plainReaders[kind]();
  return (rows, row) => {
    const number = rows.column(column);
    const plain = readPlain(rows, rows.valueStart(row, number), rows.valueEnd(row, number));
    if (plain !== undefined) {
      return plain;
    }
    const raw = memberOf(rows, row, column);
    const value = raw === "null" && nullable ? null : read(raw);
    if (value === undefined) {
      throw new ContractError(
        `the service sent "${column}" as ${raw.slice(0, 80)} (${identityOf(rows, row)}), which is no ${kind}; ndjson can carry it`,
      );
    }
    return value;
  };
}

function readString(raw: string, onLoneSurrogate: () => void): string | undefined {
  if (!raw.startsWith('"')) {
    return undefined;
  }
  const value = raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1);
  if (/\p{Surrogate}/u.test(value)) {
    onLoneSurrogate();
  }
  return value;
}

function readNumber(raw: string, onRounded: () => void): number | undefined {
  const value = /^[-\d]/.test(raw) ? Number(raw) : Number.NaN;
  if (!Number.isFinite(value)) {
    return undefined;
  }
  if (!isExactDouble(raw)) {
    onRounded();
  }
  return value;
}

function readDate(raw: string): number | undefined {
  const text: unknown = raw.startsWith('"') ? JSON.parse(raw) : undefined;
  return typeof text === "string" && isCalendarDate(text) ? dayNumber(text) : undefined;
}
