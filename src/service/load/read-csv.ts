import { PRODUCT_COLUMNS, type ProductColumn, productSchema } from "../../contract/product.ts";
import { RowError, shown } from "./load-error.ts";
import { countNewlines, type Lines, MAX_RECORD_BYTES } from "./read-lines.ts";
import type { SourceRow } from "./row.ts";

interface CsvRecord {
  /** Line where the record starts, from 1. */
  line: number;
  fields: CsvField[];
}

/** The text of a field; null if the field is empty and has no quotes. */
type CsvField = string | null;

/** A field, in quotes or plain, and the comma or line end after it. It always matches, perhaps an empty text. */
const FIELD = /(?:"([^"]*(?:""[^"]*)*)"(?!")|([^",\r\n]*))(,|\r?\n|)/y;

/** A number in JSON (RFC 8259 section 6). It keeps its digits. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Reads CSV. The header must have exactly the contract's columns, in any order. `""` is an empty text. An empty field
 * without quotes is null if its column is nullable, otherwise an empty text.
 *
 * @param partition columns that the header may lack
 */
export async function* readCsv(
  blocks: AsyncIterable<Lines>,
  partition: ReadonlyMap<string, string>,
): AsyncGenerator<SourceRow[]> {
  let header: string[] | undefined;
  for await (const records of readCsvRecords(blocks)) {
    const first = header === undefined ? records.shift() : undefined;
    const columns = first === undefined ? header : checkHeader(first, partition);
    header = columns;
    yield columns === undefined ? [] : records.map((record) => csvRow(record, columns));
  }
  if (header === undefined) {
    throw new RowError({ line: 1, found: "nothing", expected: "a header line" });
  }
}

function checkHeader({ line, fields }: CsvRecord, partition: ReadonlyMap<string, string>): string[] {
  const names = fields.map((field) => field ?? "");
  for (const [index, name] of names.entries()) {
    if (!PRODUCT_COLUMNS.some((column) => column === name)) {
      throw new RowError({ line, found: `a column "${shown(name)}"`, expected: "only the columns of the contract" });
    }
    if (names.indexOf(name) !== index) {
      throw new RowError({ line, field: name, found: "the column twice", expected: "each column once" });
    }
  }
  const missing = PRODUCT_COLUMNS.find((column) => !names.includes(column) && !partition.has(column));
  if (missing !== undefined) {
    throw new RowError({ line, field: missing, found: "none", expected: "a column of this name" });
  }
  return names;
}

function csvRow({ line, fields }: CsvRecord, header: readonly string[]): SourceRow {
  if (fields.length !== header.length) {
    throw new RowError({ line, found: `${fields.length}`, expected: `${header.length} fields` });
  }
  const members = PRODUCT_COLUMNS.filter((column) => header.includes(column)).map(
    (column) => `"${column}":${csvValue(column, fields[header.indexOf(column)] ?? null)}`,
  );
  return { line, text: `{${members.join(",")}}` };
}

/** A text that is not a number stays a string. The check against the contract then refuses it. */
function csvValue(column: ProductColumn, field: CsvField): string {
  const { type } = productSchema.properties[column];
  if (field === null) {
    return type.includes("null") ? "null" : '""';
  }
  return type === "number" && JSON_NUMBER.test(field) ? field : JSON.stringify(field);
}

/**
 * Reads records as in RFC 4180, with either line end. Blank lines are skipped. A stray quote or carriage return is an
 * error, because readers treat it in different ways. Holds one block of lines and one record in memory.
 *
 * @throws RowError
 */
async function* readCsvRecords(blocks: AsyncIterable<Lines>): AsyncGenerator<CsvRecord[]> {
  let text = "";
  let line = 1;
  for await (const block of blocks) {
    text += block.bytes.toString();
    const records: CsvRecord[] = [];
    let at = 0;
    while (at < text.length) {
      const record = readRecord(text, at, line);
      if (record === undefined) {
        break;
      }
      if (record.fields.length > 1 || record.fields[0] !== null) {
        records.push({ line, fields: record.fields });
      }
      line += countNewlines(text.slice(at, record.end));
      at = record.end;
    }
    yield records;
    text = text.slice(at);
    if (text.length > MAX_RECORD_BYTES) {
      break;
    }
  }
  if (text !== "") {
    throw new RowError({ line, found: "the end of the file", expected: "a closing quote" });
  }
}

/** The record at `start`; undefined if a quoted field continues after the text. @param line for errors */
function readRecord(text: string, start: number, line: number): { fields: CsvField[]; end: number } | undefined {
  const fields: CsvField[] = [];
  FIELD.lastIndex = start;
  for (;;) {
    const [whole = "", quoted, plain = "", ending = ""] = FIELD.exec(text) ?? [];
    const end = FIELD.lastIndex;
    if (whole === "" && text[end] === '"') {
      return undefined;
    }
    fields.push(quoted?.replaceAll('""', '"') ?? (plain || null));
    if (ending === "" && end < text.length) {
      const found = text[end] === "\r" ? "a carriage return alone" : JSON.stringify(text[end]);
      throw new RowError({ line, found, expected: "a comma or the end of the line after a field" });
    }
    if (ending !== ",") {
      return { fields, end };
    }
  }
}
