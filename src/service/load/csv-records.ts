import { RowError } from "./load-error.ts";
import { countNewlines, type Lines, MAX_RECORD_BYTES } from "./read-lines.ts";

export interface CsvRecord {
  /** Line where the record starts, from 1. */
  line: number;
  fields: CsvField[];
}

/** The text of a field; null if the field is empty and has no quotes. */
export type CsvField = string | null;

/** A field, in quotes or plain, and the comma or line end after it. It always matches, perhaps an empty text. */
const FIELD = /(?:"([^"]*(?:""[^"]*)*)"(?!")|([^",\r\n]*))(,|\r?\n|)/y;

/**
 * Reads records as in RFC 4180, with either line end. Blank lines are skipped. A stray quote or carriage return is an
 * error, because readers treat it in different ways. Holds one block of lines and one record in memory.
 *
 * @throws RowError
 */
export async function* readCsvRecords(blocks: AsyncIterable<Lines>): AsyncGenerator<CsvRecord[]> {
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
